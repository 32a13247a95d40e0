import type { ErrorName } from './errors.js';

/** The value types for each kind of field: what clients send (`input`), and the result of validation (`value`). */
export interface Kinds {
  text: { input: string; value: string };
  int64: { input: number | bigint; value: bigint };
  boolean: { input: boolean; value: boolean };
  /** A time in ISO 8601. Validated values are in UTC, with milliseconds. */
  time: { input: string; value: string };
  int64List: { input: readonly (number | bigint)[]; value: bigint[] };
}

export type Kind = keyof Kinds;

export interface Field {
  readonly kind: Kind;
  /** The field's name in forms and tables, such as `Planted at`. */
  readonly label: string;
  /** The description in the OpenAPI document and in the generated types: a sentence without a period. */
  readonly description: string;
  readonly example: Kinds[Kind]['input'];
  /** Whether every record must have a value. Default: `false`. */
  readonly required?: boolean;
  /** Whether lists can be filtered by the field. The list parameter has the field's name and selects records with exactly the given value. */
  readonly filter?: boolean;
  /** Whether the list parameter `q` searches the field. */
  readonly search?: boolean;
  /** The minor version that added the field, such as `1.5`. Omitted for the resource's original fields. */
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

/** A resource definition. Types, schemas, tables, messages, files, and scopes are derived from it. */
export interface Resource<Name extends string = string, Plural extends string = string> {
  /** The singular, such as `plant`. */
  readonly name: Name;
  /** The plural, such as `plants`. The table and the path have the same name. */
  readonly plural: Plural;
  /** The fields, in the order in which forms, tables, and files list them. */
  readonly fields: Readonly<Record<string, Field>>;
}

/** The names that a field cannot have, because records, batch items, tables, files, or list queries use them. */
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

/** The resource names for which `errors` defines both `invalid_<name>` and `<name>_not_found`. */
type NameWithErrors = {
  [Name in ErrorName]: Name extends `${infer Of}_not_found`
    ? `invalid_${Of}` extends ErrorName
      ? Of
      : never
    : never;
}[ErrorName];

/** Defines a resource. `errors` must define the resource's errors. */
export function defineResource<const Name extends NameWithErrors, const Plural extends string>(
  definition: Resource<Name, Plural> & { readonly fields: { readonly [Each in ReservedName]?: never } },
): Resource<Name, Plural> {
  return definition;
}

export const fieldsOf = ({ fields }: Resource): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(fields);

export const namesOf = <Fields>({ fields }: Pick<Resource, 'fields'>): readonly (keyof Fields & string)[] =>
  Object.keys(fields) as (keyof Fields & string)[];

/** Returns the names of the fields that were added to a resource after a minor version, such as `1.3`. */
export function fieldsAfter(version: string, resource: Resource): readonly string[] {
  const isNewer = ({ since = '' }: Field) => since.localeCompare(version, 'en', { numeric: true }) > 0;
  return fieldsOf(resource).flatMap(([name, field]) => (isNewer(field) ? name : []));
}

/** Returns the fields that a list can filter by. */
export const filtersOf = (resource: Resource) => fieldsOf(resource).filter(([, { filter }]) => filter);

/** Returns the fields that the list parameter `q` searches. */
export const searchedFieldsOf = (resource: Resource) => fieldsOf(resource).filter(([, { search }]) => search);

/** Returns the name of the list parameter that accepts several values for a filter. */
export const pluralFilterOf = (filter: string): string => `${filter}s`;

/** Returns the orders that a list supports. Each searched field adds an ascending and a descending order. */
export const ordersOf = (resource: Resource): readonly string[] => [
  'id',
  '-id',
  'newest',
  'oldest',
  ...searchedFieldsOf(resource).flatMap(([name]) => [name, `-${name}`]),
];

/** Returns whether the resource needs separate types and schemas for request bodies, because a field's input and value types differ. */
export const hasOwnInput = (resource: Resource): boolean =>
  fieldsOf(resource).some(([, { kind }]) => kind !== 'text' && kind !== 'boolean');

/** Returns whether a resource is the original one (version 1.0). It has some names without a prefix, and its oldest records have no times. */
export const isFirst = ({ name }: Pick<Resource, 'name'>): boolean => name === 'plant';

/** Returns the prefix for type names that exist once per resource, such as `Change`. */
export const prefixOf = (resource: Pick<Resource, 'name'>): string =>
  isFirst(resource) ? '' : capitalize(resource.name);

export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const errorNamesOf = ({ name }: Pick<Resource, 'name'>) =>
  ({ invalid: `invalid_${name}`, notFound: `${name}_not_found` }) as {
    readonly invalid: Extract<ErrorName, `invalid_${string}`>;
    readonly notFound: Extract<ErrorName, `${string}_not_found`>;
  };

/** The actions on records. Each action has a scope. */
const actions = ['create', 'read', 'update', 'delete'] as const;

export type Action = (typeof actions)[number];

/** A resource's scopes. The plant scopes have no prefix, because they are older than the other resources. */
export type ScopeOf<Plural extends string> = Plural extends 'plants' ? Action : `${Plural}:${Action}`;

/** Returns a resource's scopes, in the same order as the actions. */
export const scopesOf = <Plural extends string>({
  name,
  plural,
}: Pick<Resource<string, Plural>, 'name' | 'plural'>) =>
  actions.map((action) => (isFirst({ name }) ? action : `${plural}:${action}`)) as ScopeOf<Plural>[];
