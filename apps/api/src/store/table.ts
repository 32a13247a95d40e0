import { type Column, columnsOf } from '@plant-store/contract/columns';
import { fieldsOf, type Kind, type Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import {
  type ChangePosition,
  isTombstone,
  type RecordChange,
  type RecordState,
  type StoredRecord,
} from '@plant-store/records';
import type { DatabaseLocation } from './database-location.js';
import type { RecordHistory } from './store.js';

/** The column of the number of a record's last change. Released migrations and instances of 1.4 use this name. */
export const seqColumn = 'change_place';

/** The column of a field, as plain data that can be passed to a thread. */
export interface FieldColumn {
  /** The name of the field, and that of its column, quoted: it may be a word of SQL. */
  readonly field: string;
  readonly column: string;
  readonly kind: Kind;
  readonly required: boolean;
  /** The value in a tombstone. */
  readonly erased: Column;
}

/** Everything derived from the definition of a resource: parts of the SQL of both engines, and the conversion of rows. */
export type Table<Fields = object> = ReturnType<typeof tableOf<Fields>>;

/** The value in a tombstone for a required field. */
const erasedValues: { readonly [Of in Kind]: Column } = {
  text: '',
  int64: 0,
  boolean: 0,
  time: 0,
  int64List: '[]',
};

/** Whether values of a field have variable length. */
export const isLong = ({ kind }: Pick<FieldColumn, 'kind'>): boolean =>
  kind === 'text' || kind === 'int64List';

/** The size of the value of any other field, in bytes. */
const shortBytes = 8;

/** SQL for the time and author of a row's current state: of its create, unless it was updated. `row` is empty, or `OLD.` in a trigger. */
export const originOf = (row = '') =>
  [
    `CASE WHEN ${row}original IS NULL THEN ${row}added_at ELSE ${row}changed_at END`,
    `CASE WHEN ${row}original IS NULL THEN ${row}added_by ELSE ${row}changed_by END`,
  ] as const;

/** When a record was changed after its creation; `null` if it was not changed. */
export function changedAtOf(record: StoredRecord<unknown>, now: number): number | null {
  return isTombstone(record) || record.original !== undefined ? now : null;
}

/**
 * The table of a resource. In addition to the fields, it has an id, a time, the original fingerprint, and whether the record was deleted.
 */
export function tableOf<Fields = object>(resource: Resource) {
  const { names, toColumn, toColumns, readColumns, isSame } = columnsOf<Fields>(resource);
  const fields: readonly FieldColumn[] = fieldsOf(resource).map(([field, { kind, required = false }]) => {
    const column = `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
    return { field, column, kind, required, erased: required ? erasedValues[kind] : null };
  });
  const fieldColumns = fields.map(({ column }) => column);
  const columns = ['id', ...fieldColumns, 'added_at', 'original', 'deleted'];
  const [addedAt, original, deleted] = [1, 2, 3].map((offset) => fields.length + offset) as [
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

  /**
   * Reads a row. Drivers return an int64 as text if a number cannot hold it exactly. A field or a time that is absent is `undefined` in
   * the record, rather than `null`.
   */
  function toRecord(row: readonly unknown[]): StoredRecord<Fields> {
    const digits = row[0];
    const id = typeof digits === 'bigint' ? digits : BigInt(String(digits));
    if (row[deleted]) return { id, deleted: true };
    const record: Record<string, unknown> = { ...absent };
    record['id'] = id;
    readColumns(row, 1, record);
    if (row[addedAt] !== null) record['addedAt'] = Number(row[addedAt]);
    if (row[original] !== null) record['original'] = row[original];
    return record as unknown as StoredRecord<Fields>;
  }

  return {
    /** The name of the resource. */
    resource: resource.name,
    name: resource.plural,
    fields,
    /** The columns of the fields. */
    fieldColumns: fieldColumns as readonly string[],
    /** All columns, in the order in which rows have their values. */
    columns: columns as readonly string[],
    /** Additional columns for the order of changes. */
    changeColumns: ['changed_at', seqColumn],
    /** Additional columns for the authors of a record. */
    historyColumns: ['changed_at', 'added_by', 'changed_by'],
    /** The table of the states that updates have replaced. */
    states: `${resource.plural}_history`,
    /** SQL for the time and author of a record's current state; see `originOf`. */
    origin: originOf(),
    /** The columns of a state except its place: since when, until when, by whom, and its fields. */
    stateColumns: ['changed_at', 'replaced_at', 'changed_by', ...fieldColumns],
    /** The column values of a tombstone, in the order of the fields. */
    erased: fields.map(({ erased }) => erased),
    /** The columns that a list searches. */
    searches: fields.flatMap(({ field, column }) => (resource.fields[field]?.search ? column : [])),
    /** SQL for the size of a row as `bytesOf` counts it. Neither engine reads texts for it. */
    bytes: [...long.map(({ column }) => `coalesce(octet_length(${column}), 0)`), bytesOfShort].join(' + '),
    toRecord,
    /** The column values of a record's fields, in order. */
    toColumns,
    /** Whether two records have the same fields. */
    isSame,
    /** Reads a row that also has the columns of changes. */
    toChange(
      row: readonly unknown[],
    ): RecordChange<Fields> & { readonly position: Omit<ChangePosition, 'generation'> } {
      const record = toRecord(row);
      const [changedAt, number] = row.slice(columns.length);
      const at = changedAt ?? (row[deleted] ? null : row[addedAt]) ?? undefined;
      return {
        record,
        at: at === undefined ? undefined : Number(at),
        position: { id: record.id, ...(number !== null && { number: Number(number) }) },
      };
    },
    /** Reads a row that also has the columns of its history. */
    toHistory(row: readonly unknown[]): RecordHistory<Fields> {
      const [changedAt, addedBy, changedBy] = row.slice(columns.length);
      return {
        record: toRecord(row),
        addedAt: toNumber(row[addedAt]),
        addedBy: toText(addedBy),
        changedAt: toNumber(changedAt),
        changedBy: toText(changedBy),
      };
    },
    /** Reads a row with the place of a state, and its columns. */
    toState([place, from, until, by, ...values]: readonly unknown[]): RecordState<Fields> {
      const fields: Record<string, unknown> = {};
      readColumns(values, 0, fields);
      return {
        fields: fields as Fields,
        place: toNumber(place),
        from: toNumber(from),
        until: toNumber(until),
        by: toText(by),
      };
    },
    /** The size of a record's fields in bytes: texts and lists as stored, in UTF-8, and 8 bytes for each other field. */
    bytesOf(record: Fields): number {
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

/** The maximum size of a text in an index of PostgreSQL, in bytes. An entry may have 2,704, and then PostgreSQL rejects the row. */
export const maxIndexedBytes = 2_000;

/** SQL for whether a row is in the index of a text. A query has the same condition, or PostgreSQL does not use the index. */
export const indexConditionSql = (column: string): string =>
  `(octet_length(${column}) > ${maxIndexedBytes}) IS NOT TRUE`;

/** A column value as an SQL literal. Never used for text from a caller. */
export function literalOf({ kind }: Pick<FieldColumn, 'kind'>, value: Column): string {
  if (value === null) return 'NULL';
  // Both engines accept both words.
  if (kind === 'boolean') return value === 0 ? 'false' : 'true';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The statement that inserts records whose ids no real one should have, to test the database. Its transaction is rolled back. */
export function insertTrialSql({ name, fields }: Table, ids: readonly bigint[]): string {
  const required = fields.filter((field) => field.required);
  const values = required.map((field) =>
    field.kind === 'text' ? "'trial'" : literalOf(field, field.erased),
  );
  return `INSERT INTO ${name} (${['id', ...required.map(({ column }) => column)].join(', ')})
    VALUES ${ids.map((id) => `(${[id, ...values].join(', ')})`).join(', ')}
    ON CONFLICT (id) DO NOTHING`;
}

/** The column of a field. */
export function columnOf({ name, fields }: Pick<Table, 'name' | 'fields'>, field: string): string {
  const found = fields.find((each) => each.field === field);
  if (found === undefined) throw new Error(`The records of ${name} have no field ${field}`);
  return found.column;
}

/** Runs a query, for example with a retry or a check. */
export type QueryWrapper = <Result>(query: () => Promise<Result>) => Promise<Result>;

/**
 * Reads one page after the other, until one is empty.
 *
 * @param readPage reads the rows after an id; `undefined` for the first page
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
