import type { ErrorName } from './errors.js';

/** The value types of each kind of field: as sent by a client, and after validation. */
export interface Kinds {
  text: { input: string; value: string };
  int64: { input: number | bigint; value: bigint };
  boolean: { input: boolean; value: boolean };
  /** A time in ISO 8601, in UTC and milliseconds. */
  time: { input: string; value: string };
  int64List: { input: readonly (number | bigint)[]; value: bigint[] };
}

export type Kind = keyof Kinds;

export interface Field {
  readonly kind: Kind;
  /** The name in forms and tables, such as `Planted at`. */
  readonly label: string;
  /** A sentence without its period, for the OpenAPI document and the types. */
  readonly description: string;
  readonly example: Kinds[Kind]['input'];
  /** Whether a record must have it. Default: `false`. */
  readonly required?: boolean;
  /** Whether a list has a parameter with its name that selects the records with exactly this value. */
  readonly filter?: boolean;
  /** Whether the parameter `q` of a list searches it. */
  readonly search?: boolean;
  /** The minor version that added it, such as `1.5`. Absent if it is as old as the resource. */
  readonly since?: string;
}

type Options<Of extends Kind, More extends keyof Field = never> = Omit<
  Field,
  'kind' | 'example' | 'filter' | 'search'
> &
  Pick<Field, More> & { readonly example: Kinds[Of]['input'] };

export const text = (options: Options<'text', 'filter' | 'search'>): Field => ({ kind: 'text', ...options });
export const int64 = (options: Options<'int64', 'filter'>): Field => ({ kind: 'int64', ...options });
export const boolean = (options: Options<'boolean', 'filter'>): Field => ({ kind: 'boolean', ...options });
export const time = (options: Options<'time'>): Field => ({ kind: 'time', ...options });
export const int64List = (options: Options<'int64List'>): Field => ({ kind: 'int64List', ...options });

/** The definition of a resource. Types, schemas, tables, messages, files, and scopes are derived from it. */
export interface Resource<Name extends string = string, Plural extends string = string> {
  /** In the singular, such as `plant`. */
  readonly name: Name;
  /** In the plural, such as `plants`. Also the name of its table and of its path. */
  readonly plural: Plural;
  /** In the order of forms, tables, and files. */
  readonly fields: Readonly<Record<string, Field>>;
}

/** Names that records, items of batches, tables, files, or queries of lists use in addition to the fields. */
type ReservedName =
  | 'id'
  | 'idText'
  | 'ifMatch'
  | 'addedAt'
  | 'addedBy'
  | 'changedAt'
  | 'changedBy'
  | 'changePlace'
  | 'original'
  | 'deleted'
  | 'resource'
  | 'historyPlace'
  | 'replacedAt'
  | 'from'
  | 'until'
  | 'by'
  | 'limit'
  | 'after'
  | 'order'
  | 'q'
  | 'addedFrom'
  | 'addedBefore';

/** The names for which `errors` has both errors of a resource: `invalid_<name>` and `<name>_not_found`. */
type NameWithErrors = {
  [Name in ErrorName]: Name extends `${infer Of}_not_found`
    ? `invalid_${Of}` extends ErrorName
      ? Of
      : never
    : never;
}[ErrorName];

/** Defines a resource. Its errors must be in `errors`. */
export function defineResource<const Name extends NameWithErrors, const Plural extends string>(
  definition: Resource<Name, Plural> & { readonly fields: { readonly [Each in ReservedName]?: never } },
): Resource<Name, Plural> {
  return definition;
}

export const fieldsOf = ({ fields }: Resource): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(fields);

export const namesOf = <Fields>({ fields }: Pick<Resource, 'fields'>): readonly (keyof Fields & string)[] =>
  Object.keys(fields) as (keyof Fields & string)[];

/** Returns the fields of a resource that were added after a minor version, such as `1.3`. */
export function fieldsAfter(version: string, resource: Resource): readonly string[] {
  const isLater = ({ since = '' }: Field) => since.localeCompare(version, 'en', { numeric: true }) > 0;
  return fieldsOf(resource).flatMap(([name, field]) => (isLater(field) ? name : []));
}

/** Returns the fields that a list can filter by. */
export const filtersOf = (resource: Resource) => fieldsOf(resource).filter(([, { filter }]) => filter);

/** Returns the fields that the parameter `q` of a list searches. */
export const searchedFieldsOf = (resource: Resource) => fieldsOf(resource).filter(([, { search }]) => search);

/** Returns the name of the list parameter that takes several values of a filter. */
export const pluralFilterOf = (filter: string): string => `${filter}s`;

/** Returns the orders that a list may have. Each field that `q` searches adds two. */
export const ordersOf = (resource: Resource): readonly string[] => [
  'id',
  '-id',
  'newest',
  'oldest',
  ...searchedFieldsOf(resource).flatMap(([name]) => [name, `-${name}`]),
];

/** Whether request bodies may have other types than replies, so that both need separate types and schemas. */
export const hasOwnInput = (resource: Resource): boolean =>
  fieldsOf(resource).some(([, { kind }]) => kind !== 'text' && kind !== 'boolean');

/** Whether it is the resource of version 1.0. Some of its names have no prefix, and the times of its oldest records are unknown. */
export const isFirst = ({ name }: Pick<Resource, 'name'>): boolean => name === 'plant';

/** Returns the prefix of type names that every resource has, such as `Change`. */
export const prefixOf = (resource: Pick<Resource, 'name'>): string =>
  isFirst(resource) ? '' : capitalize(resource.name);

export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const errorNamesOf = ({ name }: Pick<Resource, 'name'>) =>
  ({ invalid: `invalid_${name}`, notFound: `${name}_not_found` }) as {
    readonly invalid: Extract<ErrorName, `invalid_${string}`>;
    readonly notFound: Extract<ErrorName, `${string}_not_found`>;
  };

/** The actions on records. Each has a scope. */
const actions = ['create', 'read', 'update', 'delete'] as const;

export type Action = (typeof actions)[number];

/** The scopes of a resource. The scopes of plants have no prefix, because they predate other resources. */
export type ScopeOf<Plural extends string> = Plural extends 'plants' ? Action : `${Plural}:${Action}`;

/** Returns the scopes of a resource, in the order of the actions. */
export const scopesOf = <Plural extends string>({
  name,
  plural,
}: Pick<Resource<string, Plural>, 'name' | 'plural'>) =>
  actions.map((action) => (isFirst({ name }) ? action : `${plural}:${action}`)) as ScopeOf<Plural>[];
