import { type Columns, columnsOf } from '@plant-store/contract/columns';
import type { Field, Kind, Kinds, Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import type { Random } from './random.js';

/** The fields of a record. */
export type Fields = Readonly<Record<string, Kinds[Kind]['value'] | undefined>>;

/** A resource with functions that compare, pick, and read its fields. */
export type TestedResource = Resource & Columns<Fields>;

export const toTestedResource = (resource: Resource): TestedResource => ({
  ...resource,
  ...columnsOf<Fields>(resource),
});

/** All resources of the API. */
export const testedResources: readonly TestedResource[] =
  Object.values<Resource>(resources).map(toTestedResource);

/** @throws {Error} if there is no resource with the name */
export function findTestedResource(name: string | undefined): TestedResource {
  const resource = testedResources.find((candidate) => candidate.name === name);
  if (resource === undefined) throw new Error(`There is no resource ${name}`);
  return resource;
}

/** Identifies a record by its resource and its ID, because records of different resources can have the same ID. */
export interface Identity {
  readonly resource: TestedResource;
  readonly id: bigint;
}

/** A record to create. */
export interface NewRecord extends Identity {
  /** Only the fields that are present. */
  readonly fields: Fields;
}

/** Returns the name of a record, such as `garden 7`. */
export const nameOf = ({ resource, id }: Identity): string => `${resource.name} ${id}`;

/** Describes a record for a message. Cuts off long fields. */
export function describeRecord(record: NewRecord): string {
  const text = toJson(record.fields);
  return `${nameOf(record)} ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}

/** The values that required fields get when a record is deleted. */
const emptyValues: { readonly [Of in Kind]: Kinds[Of]['value'] } = {
  text: '',
  int64: 0n,
  boolean: false,
  time: new Date(0).toISOString(),
  int64List: [],
};

/** Returns the field values in a deleted record's row. */
export const erasedFields = ({ fields }: Resource): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind, required }]) =>
      required ? [[name, emptyValues[kind]]] : [],
    ),
  );

// TypeScript has no types for these yet.
const json = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ): unknown;
};

/** Writes JSON with exact integers. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? json.rawJSON(`${member}`) : member));

/** Parses a JSON object, with every integer as a `bigint`. Returns an empty object for anything else. */
export function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = json.parse(text, (_, member, { source }) =>
      typeof member === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : member,
    );
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** A record as a reply shows it. Records in lists have no entity tag. */
export interface ShownRecord extends NewRecord {
  readonly addedAt?: string | undefined;
  readonly etag?: string | undefined;
}

/** Converts a record from a reply. */
export function toShownRecord(resource: TestedResource, value: unknown, etag?: string): ShownRecord {
  const { id, addedAt, ...others } = Object(value);
  return { resource, id, addedAt, etag, fields: resource.pick(others) };
}

/** The limits of exact JavaScript numbers, int32, and int64, and their neighbors. */
const boundaryIds = [2n ** 31n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 53n), -(2n ** 63n) + 1n, 0n].flatMap(
  (id) => [BigInt.asIntN(64, id - 1n), id, BigInt.asIntN(64, id + 1n)],
);

const createInt64 = (random: Random) =>
  BigInt.asIntN(64, (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)));

/** Parts of texts. Some have characters that need escapes or several bytes. */
const words = [
  'Fern',
  'Monstera deliciosa',
  "Bird's nest",
  'Ácer 日本',
  '🌵',
  'a\\b"c',
  ' ',
  '\u{10FFFF}',
  "'); --",
];

/** The first and last times that the service accepts, and times around the start of 1970. */
const boundaryTimes = [
  Date.parse('0000-01-01T00:00:00.000Z'),
  -1,
  0,
  1,
  Date.parse('9999-12-31T23:59:59.999Z'),
];

const createSome = <T>(random: Random, create: () => T) => Array.from({ length: random.below(4) }, create);

const creators: { readonly [Of in Kind]: (random: Random) => Kinds[Of]['value'] } = {
  text(random) {
    if (random.next() < 0.001) return 'long '.repeat(random.below(20_000));
    return createSome(random, () => random.pick(words)).join(' ');
  },
  int64: (random) => (random.next() < 0.5 ? random.pick(boundaryIds) : createInt64(random)),
  boolean: (random) => random.next() < 0.5,
  time: (random) =>
    new Date(random.next() < 0.2 ? random.pick(boundaryTimes) : random.below(2 ** 41)).toISOString(),
  int64List: (random) => createSome(random, () => creators.int64(random)),
};

/**
 * Returns a function that creates records, each with an unused ID. If there are several resources, half of the records share their ID with
 * a record of another resource.
 */
export function createRecordSource(random: Random, pool: readonly TestedResource[] = testedResources) {
  const [first, ...others] = pool;
  if (first === undefined) throw new Error('There is no resource');
  const used = new Set<string>();
  const ids: bigint[] = [];
  function createId(): bigint {
    const roll = random.next();
    if (roll < 0.01) return random.pick(boundaryIds);
    // Adjacent IDs that would be equal if rounded to JavaScript numbers.
    if (roll < 0.3) return 2n ** 53n + BigInt(random.below(100_000));
    if (roll < 0.5) return BigInt(random.below(2 ** 31));
    return createInt64(random);
  }
  return (resource = others.length > 0 ? random.pick(pool) : first): NewRecord => {
    const isShared = others.length > 0 && ids.length > 0 && random.next() < 0.5;
    let id = isShared ? random.pick(ids) : createId();
    while (used.has(nameOf({ resource, id }))) id = createId();
    used.add(nameOf({ resource, id }));
    ids.push(id);
    const values = Object.entries(resource.fields).map(([name, { kind, required }]) => [
      name,
      !required && random.next() < 0.4 ? undefined : creators[kind](random),
    ]);
    return { resource, id, fields: resource.pick(Object.fromEntries(values)) };
  };
}

/** Returns a record with the same ID and one changed field. */
export function createConflict<Item extends NewRecord>(record: Item, random: Random): Item {
  const { resource, fields } = record;
  const name = random.pick(resource.names);
  for (;;) {
    const value = changeValue(resource.fields[name] ?? { kind: 'text' }, fields[name], random);
    const changed = resource.pick({ ...fields, [name]: value });
    if (!resource.isSame(fields, changed)) return { ...record, fields: changed };
  }
}

function changeValue(
  { kind, required = false }: Pick<Field, 'kind' | 'required'>,
  value: Fields[string],
  random: Random,
) {
  if (kind !== 'text') return required || random.next() < 0.7 ? creators[kind](random) : undefined;
  // A record with an empty text differs from one without the text.
  if (!required && !value) return value === '' ? undefined : '';
  return `${value} ${random.below(1_000)}`;
}
