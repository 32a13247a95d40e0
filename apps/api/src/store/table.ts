import { type Column, columnsOf } from '@plant-store/contract/columns';
import { fieldsOf, type Kind, type Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import type { ChangePosition, RecordChange, RecordState, StoredRecord } from '@plant-store/records';
import type { ArgType } from '@prisma/driver-adapter-utils';
import type { DatabaseLocation } from './database-location.js';
import type { RecordHistory } from './store.js';

/** The column of the number of a record's last change keeps its name, which released migrations and instances of 1.4 use. */
export const seqColumn = 'change_place';

/** The column of a field, as plain data, which a thread can have. */
export interface FieldColumn {
  /** The name of the field, and that of its column, quoted: it may be a word of SQL. */
  readonly field: string;
  readonly column: string;
  readonly kind: Kind;
  readonly required: boolean;
  /** What a tombstone has in its place. */
  readonly erased: Column;
}

/** What follows from the definition of a resource: parts of the statements of both engines, and what rows hold. */
export interface Table<Fields = object> {
  /** The name of the resource. */
  readonly resource: string;
  readonly name: string;
  readonly fields: readonly FieldColumn[];
  /** The columns of the fields. */
  readonly fieldColumns: readonly string[];
  /** All columns, in the order in which rows have their values. */
  readonly columns: readonly string[];
  /** What a row has besides for the order of changes. */
  readonly changeColumns: readonly string[];
  /** What a row has besides for who has made it what it is. */
  readonly historyColumns: readonly string[];
  /** The table of the states that were replaced, which has the columns of the fields, too. */
  readonly historyName: string;
  /** What a state has besides its fields: its revision, since when, until when, and by whom. */
  readonly stateColumns: readonly string[];
  /** The columns of what a tombstone has, in the order of the fields. */
  readonly erased: readonly Column[];
  /** The columns that a list searches. */
  readonly searches: readonly string[];
  /** SQL for the size of a row as `bytesOf` counts it. Neither engine reads texts for it. */
  readonly bytes: string;
  /**
   * Reads a row. Drivers return an int64 as text if a number cannot hold it exactly. A field or a time that is absent is `undefined` in
   * the record, rather than `null`.
   */
  toRecord(row: readonly unknown[]): StoredRecord<Fields>;
  /** Reads a row with the columns of changes besides. */
  toChange(
    row: readonly unknown[],
  ): RecordChange<Fields> & { readonly position: Omit<ChangePosition, 'generation'> };
  /** Reads a row with the columns of its history besides. */
  toHistory(row: readonly unknown[]): RecordHistory<Fields>;
  /** Reads a state: the columns of `stateColumns`, then those of the fields. */
  toState(row: readonly unknown[]): RecordState<Fields>;
  /** Whether two records have the same fields. */
  isSame(a: Fields, b: Fields): boolean;
  /** The fields of a record as their columns have them, in their order. */
  toColumns(record: Fields): readonly Column[];
  /** The size of the fields of a record in bytes: of texts and lists as their columns have them, in UTF-8, and 8 of each other field. */
  bytesOf(record: Fields): number;
}

/** What a tombstone has in the column of a required field. */
const erasedValues: { readonly [Of in Kind]: Column } = {
  text: '',
  int64: 0,
  boolean: 0,
  time: 0,
  int64List: '[]',
};

/** Whether a value has any length. */
const isLong = ({ kind }: Pick<FieldColumn, 'kind'>) => kind === 'text' || kind === 'int64List';

/** The size of the value of any other field, in bytes. */
const shortBytes = 8;

const stateColumns = ['revision', 'changed_at', 'replaced_at', 'changed_by'];

/** SQL for since when the current state of a row is there, and by whom: since its create, unless it was updated. */
export const currentSql = {
  since: 'CASE WHEN original IS NULL THEN added_at ELSE changed_at END',
  by: 'CASE WHEN original IS NULL THEN added_by ELSE changed_by END',
};

/** The table of a resource. Besides its fields it has an id, a time, what it was created as, and whether the record was deleted. */
export function tableOf<Fields = object>(resource: Resource): Table<Fields> {
  const { names, toColumn, toColumns, readColumns, isSame } = columnsOf<Fields>(resource);
  const fields = fieldsOf(resource).map(([field, { kind, required = false }]): FieldColumn => {
    const column = `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
    return { field, column, kind, required, erased: required ? erasedValues[kind] : null };
  });
  const fieldColumns = fields.map(({ column }) => column);
  const columns = ['id', ...fieldColumns, 'added_at', 'original', 'deleted'];
  const [addedAt, original, deleted] = [1, 2, 3].map((place) => fields.length + place) as [
    number,
    number,
    number,
  ];
  // A copy has all members at once, in one order, which makes reading and writing it several times as fast.
  const absent = Object.fromEntries(
    ['id', ...names, 'addedAt', 'original'].map((member) => [member, undefined]),
  );
  const long = fields.filter(isLong);
  const bytesOfShort = shortBytes * (fields.length - long.length);
  const toNumber = (value: unknown) => (value === null ? undefined : Number(value));
  const toText = (value: unknown) => (value === null ? undefined : String(value));
  const toRecord: Table<Fields>['toRecord'] = (row) => {
    const digits = row[0];
    const id = typeof digits === 'bigint' ? digits : BigInt(String(digits));
    if (row[deleted]) return { id, deleted: true };
    const record: Record<string, unknown> = { ...absent };
    record['id'] = id;
    readColumns(row, 1, record);
    if (row[addedAt] !== null) record['addedAt'] = Number(row[addedAt]);
    if (row[original] !== null) record['original'] = row[original];
    return record as unknown as StoredRecord<Fields>;
  };
  return {
    resource: resource.name,
    name: resource.plural,
    fields,
    fieldColumns,
    columns,
    changeColumns: ['changed_at', seqColumn],
    historyColumns: ['changed_at', 'added_by', 'changed_by'],
    historyName: `${resource.plural}_history`,
    stateColumns,
    erased: fields.map(({ erased }) => erased),
    searches: fields.flatMap(({ field, column }) => (resource.fields[field]?.search ? column : [])),
    bytes: [...long.map(({ column }) => `coalesce(octet_length(${column}), 0)`), bytesOfShort].join(' + '),
    toRecord,
    isSame,
    toColumns,
    toChange(row) {
      const record = toRecord(row);
      const [changedAt, number] = row.slice(columns.length);
      const at = changedAt ?? (row[deleted] ? null : row[addedAt]) ?? undefined;
      return {
        record,
        at: at === undefined ? undefined : Number(at),
        position: { id: record.id, ...(number !== null && { number: Number(number) }) },
      };
    },
    toHistory(row) {
      const [changedAt, addedBy, changedBy] = row.slice(columns.length);
      return {
        record: toRecord(row),
        addedAt: toNumber(row[addedAt]),
        addedBy: toText(addedBy),
        changedAt: toNumber(changedAt),
        changedBy: toText(changedBy),
      };
    },
    toState(row) {
      const [revision, from, until, by] = row;
      const fields: Record<string, unknown> = {};
      readColumns(row, stateColumns.length, fields);
      return {
        fields: fields as Fields,
        revision: Number(revision),
        from: toNumber(from),
        until: toNumber(until),
        by: toText(by),
      };
    },
    bytesOf(record) {
      const values = record as Readonly<Record<string, unknown>>;
      let bytes = bytesOfShort;
      for (const { field } of long) {
        const value = values[field];
        if (value !== undefined)
          bytes += Buffer.byteLength(typeof value === 'string' ? value : String(toColumn(field, value)));
      }
      return bytes;
    },
  };
}

/** The tables of all resources of the API. */
export const allTables: readonly Table[] = Object.values<Resource>(resources).map((resource) =>
  tableOf(resource),
);

/** The type of a column of each kind on an engine. */
export const columnTypes: {
  readonly [Engine in DatabaseLocation['engine']]: { readonly [Of in Kind]: string };
} = {
  sqlite: { text: 'TEXT', int64: 'INTEGER', boolean: 'INTEGER', time: 'INTEGER', int64List: 'TEXT' },
  postgresql: { text: 'TEXT', int64: 'BIGINT', boolean: 'BOOLEAN', time: 'BIGINT', int64List: 'TEXT' },
};

/**
 * The statements that create the tables of a resource, for a migration that a developer commits. A table that released migrations
 * have created and changed has the same, in another order.
 */
export function createSql(engine: DatabaseLocation['engine'], resource: Resource): string {
  return `${createRecordsSql(engine, resource)}
${createHistorySql(engine, resource)}`;
}

/**
 * The statements that create the table of the states that were replaced. Its key begins with the id, by which Citus distributes it, and
 * which finds the states of a record.
 */
function createHistorySql(engine: DatabaseLocation['engine'], resource: Resource): string {
  const { historyName, fields } = tableOf(resource);
  const types = columnTypes[engine];
  const isSqlite = engine === 'sqlite';
  const columns = [
    `"id" ${types.int64} NOT NULL`,
    `"revision" ${types.int64} NOT NULL`,
    ...fields.map(({ column, kind, required }) => `${column} ${types[kind]}${required ? ' NOT NULL' : ''}`),
    `"${seqColumn}" ${types.int64}`,
    `"changed_at" ${types.time}`,
    `"changed_by" ${types.text}`,
    `"replaced_at" ${types.time} NOT NULL`,
  ];
  const key = isSqlite ? '' : `CONSTRAINT "${historyName}_pkey" `;
  return `CREATE TABLE "${historyName}" (
${columns.map((column) => `    ${column}`).join(',\n')},

    ${key}PRIMARY KEY ("id", "revision")
)${isSqlite ? ' STRICT' : ''};

CREATE INDEX "${historyName}_replaced_at_idx" ON "${historyName}"("replaced_at");
`;
}

function createRecordsSql(engine: DatabaseLocation['engine'], resource: Resource): string {
  const { name, fields } = tableOf(resource);
  const types = columnTypes[engine];
  const isSqlite = engine === 'sqlite';
  const columns = [
    `"id" ${types.int64} NOT NULL${isSqlite ? ' PRIMARY KEY' : ''}`,
    ...fields.map(({ column, kind, required }) => `${column} ${types[kind]}${required ? ' NOT NULL' : ''}`),
    `"added_at" ${types.time}`,
    `"deleted" ${types.boolean} NOT NULL DEFAULT ${isSqlite ? '0' : 'false'}`,
    `"original" ${types.text}`,
    `"changed_at" ${types.time}`,
    `"${seqColumn}" ${types.int64}`,
    `"added_by" ${types.text}`,
    `"changed_by" ${types.text}`,
  ];
  const key = isSqlite ? '' : `,\n\n    CONSTRAINT "${name}_pkey" PRIMARY KEY ("id")`;
  return `CREATE TABLE "${name}" (
${columns.map((column) => `    ${column}`).join(',\n')}${key}
)${isSqlite ? ' STRICT' : ''};

CREATE INDEX "${name}_added_at_idx" ON "${name}"("added_at"${isSqlite ? '' : ' NULLS FIRST'});

CREATE INDEX "${name}_${seqColumn}_idx" ON "${name}"("${seqColumn}") WHERE "${seqColumn}" IS NOT NULL;
`;
}

/** A value of a column as SQL. It is no text of a caller. */
export function literalOf({ kind }: Pick<FieldColumn, 'kind'>, value: Column): string {
  if (value === null) return 'NULL';
  // Both engines read both words.
  if (kind === 'boolean') return value === 0 ? 'false' : 'true';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The statement that inserts a record whose id no real one should have, to test the database. Its transaction is rolled back. */
export function insertTrialSql({ name, fields }: Table, id: bigint): string {
  const required = fields.filter((field) => field.required);
  const values = required.map((field) =>
    field.kind === 'text' ? "'trial'" : literalOf(field, field.erased),
  );
  return `INSERT INTO ${name} (${['id', ...required.map(({ column }) => column)].join(', ')}) VALUES (${[id, ...values].join(', ')})
    ON CONFLICT (id) DO NOTHING`;
}

/** The columns that a list compares, with their values. */
export function comparedIn<Value>(
  { fields }: Pick<Table, 'fields'>,
  equal: Readonly<Record<string, Value | undefined>> = {},
): readonly (readonly [FieldColumn, Value])[] {
  return fields.flatMap((field) => {
    const value = equal[field.field];
    return value === undefined ? [] : [[field, value] as const];
  });
}

/** The column of a field. */
export function columnOf({ name, fields }: Pick<Table, 'name' | 'fields'>, field: string): string {
  const found = fields.find((each) => each.field === field);
  if (found === undefined) throw new Error(`The records of ${name} have no field ${field}`);
  return found.column;
}

/** Runs a query, with a retry, a check or the like around it. */
export type QueryWrapper = <Result>(query: () => Promise<Result>) => Promise<Result>;

/** The type of a text, as driver adapters take it. */
export const text = { scalarType: 'string', arity: 'scalar' } as const satisfies ArgType;

/**
 * Reads one page after the other, until one is empty.
 *
 * @param readPage reads what has the ids that follow an id; `undefined` for the first ones
 */
export async function* readPages<Row extends { readonly id: bigint }>(
  readPage: (after: bigint | undefined) => Promise<readonly Row[]>,
  after: bigint | undefined,
): AsyncGenerator<readonly Row[]> {
  let page = await readPage(after);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page;
    page = await readPage(last.id);
  }
}
