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

/** The column for the number of a record's last change. Released migrations and instances of version 1.4 use this name. */
export const seqColumn = 'change_place';

/** The column of a field, as plain data that can be passed to a thread. */
export interface FieldColumn {
  /** The names of the field and its column. The column name is quoted, because it can be an SQL keyword. */
  readonly field: string;
  readonly column: string;
  readonly kind: Kind;
  readonly required: boolean;
  /** The value of the column in a tombstone. */
  readonly erased: Column;
}

/** Everything derived from a resource definition: parts of the SQL for both engines, and row conversions. */
export type Table<Fields = object> = ReturnType<typeof tableOf<Fields>>;

/** The values of required fields in a tombstone, by kind. Optional fields become NULL. */
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

/** The size that any other value counts as, in bytes. */
const shortBytes = 8;

/**
 * Returns SQL for the time and author of a row's current state: its create, unless the record was updated. `row` is empty, or `OLD.` in a
 * trigger.
 */
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
 * Derives the table of a resource. In addition to its fields, a row has an ID, a time, the original fingerprint, and whether the record was
 * deleted.
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
  // A copy has all members from the start, in one order, so reading and writing it is several times as fast.
  const emptyRecord = Object.fromEntries(
    ['id', ...names, 'addedAt', 'original'].map((member) => [member, undefined]),
  );
  const long = fields.filter(isLong);
  const bytesOfShort = shortBytes * (fields.length - long.length);
  const toNumber = (value: unknown) => (value === null ? undefined : Number(value));
  const toText = (value: unknown) => (value === null ? undefined : String(value));

  /**
   * Converts a row to a record. Drivers return an int64 as text if a number cannot hold it exactly. An absent field or time becomes
   * `undefined` rather than `null`.
   */
  function toRecord(row: readonly unknown[]): StoredRecord<Fields> {
    const rawId = row[0];
    const id = typeof rawId === 'bigint' ? rawId : BigInt(String(rawId));
    if (row[deleted]) return { id, deleted: true };
    const record: Record<string, unknown> = { ...emptyRecord };
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
    /** All columns, in the order of the values in a row. */
    columns: columns as readonly string[],
    /** The additional columns that `toChange` reads. */
    changeColumns: ['changed_at', seqColumn],
    /** The additional columns that `toHistory` reads. */
    historyColumns: ['changed_at', 'added_by', 'changed_by'],
    /** The name of the table for states that updates have replaced. */
    states: `${resource.plural}_history`,
    /** SQL for the time and author of a record's current state; see `originOf`. */
    origin: originOf(),
    /** The columns of a state except its place: when it began, when it was replaced, its author, and its fields. */
    stateColumns: ['changed_at', 'replaced_at', 'changed_by', ...fieldColumns],
    /** The column values of a tombstone, in the order of the fields. */
    erased: fields.map(({ erased }) => erased),
    /** The columns that a list searches. */
    searches: fields.flatMap(({ field, column }) => (resource.fields[field]?.search ? column : [])),
    /** SQL for the size of a row as `bytesOf` counts it. Neither engine reads the texts for it. */
    bytes: [...long.map(({ column }) => `coalesce(octet_length(${column}), 0)`), bytesOfShort].join(' + '),
    toRecord,
    /** Returns the column values of a record's fields, in order. */
    toColumns,
    /** Whether two records have the same fields. */
    isSame,
    /** Converts a row that ends with `changeColumns`. */
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
    /** Converts a row that ends with `historyColumns`. */
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
    /** Converts a row that has a state's place, followed by `stateColumns`. */
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
    /** Returns the size of a record's fields in bytes: texts and lists as stored, in UTF-8, and 8 bytes for each other field. */
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

/** The column type for each kind, by engine. */
export const columnTypes: {
  readonly [Engine in DatabaseLocation['engine']]: { readonly [Of in Kind]: string };
} = {
  sqlite: { text: 'TEXT', int64: 'INTEGER', boolean: 'INTEGER', time: 'INTEGER', int64List: 'TEXT' },
  postgresql: { text: 'TEXT', int64: 'BIGINT', boolean: 'BOOLEAN', time: 'BIGINT', int64List: 'TEXT' },
};

/** The maximum size of a text in a PostgreSQL index, in bytes. PostgreSQL rejects rows whose index entry exceeds 2,704 bytes. */
export const maxIndexedBytes = 2_000;

/**
 * Returns SQL for whether the index of a text column contains a row. PostgreSQL uses the index only for queries with the same condition.
 */
export const indexConditionSql = (column: string): string =>
  `(octet_length(${column}) > ${maxIndexedBytes}) IS NOT TRUE`;

/** Formats a column value as an SQL literal. Must never be used for text from a caller, because quotes are not escaped. */
export function literalOf({ kind }: Pick<FieldColumn, 'kind'>, value: Column): string {
  if (value === null) return 'NULL';
  // Both engines accept both words.
  if (kind === 'boolean') return value === 0 ? 'false' : 'true';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Returns a statement that inserts test records, with IDs that no real record should have. The caller rolls back its transaction. */
export function insertTrialSql({ name, fields }: Table, ids: readonly bigint[]): string {
  const required = fields.filter((field) => field.required);
  const values = required.map((field) =>
    field.kind === 'text' ? "'trial'" : literalOf(field, field.erased),
  );
  return `INSERT INTO ${name} (${['id', ...required.map(({ column }) => column)].join(', ')})
    VALUES ${ids.map((id) => `(${[id, ...values].join(', ')})`).join(', ')}
    ON CONFLICT (id) DO NOTHING`;
}

/** Returns the column of a field, quoted. */
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
 * @param readPage reads the rows after an ID; `undefined` for the first page
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
