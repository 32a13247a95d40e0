import { type Field, type FieldsOf, namesOf } from '@plant-store/contract/fields';
import type { ChangePosition, RecordChange, StoredRecord } from '@plant-store/records';
import type { ArgType } from '@prisma/driver-adapter-utils';
import type { RecordHistory } from './store.js';

/** The column of the number of a record's last change keeps its name, which released migrations and instances of 1.4 use. */
export const seqColumn = 'change_place';

/** What follows from the fields of a resource: parts of the statements of both engines, which are composed once, and what rows hold. */
export interface Table<Resource = unknown> {
  readonly name: string;
  /** All columns, in the order in which rows have their values. */
  readonly columns: readonly string[];
  /** What a row has besides for the order of changes. */
  readonly changeColumns: readonly string[];
  /** What a row has besides for who has made it what it is. */
  readonly historyColumns: readonly string[];
  /** The columns of texts. */
  readonly texts: readonly string[];
  /** The texts of a tombstone, in the order of their columns. */
  readonly erasedTexts: readonly (string | null)[];
  /** The columns that a list compares with the parameter of their name, and those that it searches. */
  readonly filters: readonly string[];
  readonly searches: readonly string[];
  /** SQL for the size of a row's texts, in bytes in UTF-8. Neither engine reads them for it. */
  readonly bytes: string;
  /**
   * Reads a row. Drivers return an id as text if a number cannot hold it exactly. A text or a time that is absent is `undefined`
   * in the record, rather than `null`.
   */
  toRecord(row: readonly unknown[]): StoredRecord<Resource>;
  /** Reads a row with the columns of changes besides. */
  toChange(
    row: readonly unknown[],
  ): RecordChange<Resource> & { readonly position: Omit<ChangePosition, 'generation'> };
  /** Reads a row with the columns of its history besides. */
  toHistory(row: readonly unknown[]): RecordHistory<Resource>;
  /** The texts of a record, in the order of their columns. */
  toTexts(record: Resource): readonly (string | null)[];
  /** The size of the texts of a record, in bytes in UTF-8. */
  bytesOf(record: Resource): number;
}

/** The table of a resource whose fields are all texts. Beside them it has an id, a time, and whether the record was deleted. */
export function tableOf<Resource>(name: string, fieldsOf: FieldsOf<Resource>): Table<Resource> {
  const fields: Readonly<Record<string, Field>> = fieldsOf;
  const texts = namesOf(fields);
  const columns = ['id', ...texts, 'added_at', 'original', 'deleted'];
  const placeOf = (column: string) => columns.indexOf(column);
  const [id, addedAt] = [placeOf('id'), placeOf('added_at')];
  const [original, deleted] = [placeOf('original'), placeOf('deleted')];
  const places = texts.map((text) => [text, placeOf(text)] as const);
  // A copy has all members at once, in one order, which makes reading and writing it several times as fast.
  const absent = Object.fromEntries(
    ['id', ...texts, 'addedAt', 'original'].map((member) => [member, undefined]),
  );
  const changeColumns = ['changed_at', seqColumn];
  const historyColumns = ['changed_at', 'added_by', 'changed_by'];
  const toNumber = (value: unknown) => (value === null ? undefined : Number(value));
  const toRecord: Table<Resource>['toRecord'] = (row) => {
    const digits = row[id];
    const exactId = typeof digits === 'bigint' ? digits : BigInt(String(digits));
    if (row[deleted]) return { id: exactId, deleted: true };
    const record: Record<string, unknown> = { ...absent };
    record['id'] = exactId;
    for (const [text, place] of places) record[text] = row[place] ?? undefined;
    if (row[addedAt] !== null) record['addedAt'] = Number(row[addedAt]);
    if (row[original] !== null) record['original'] = row[original];
    return record as unknown as StoredRecord<Resource>;
  };
  return {
    ...{ name, columns, changeColumns, historyColumns, texts, toRecord },
    erasedTexts: texts.map((text) => (fields[text]?.required ? '' : null)),
    filters: texts.filter((text) => fields[text]?.filter),
    searches: texts.filter((text) => fields[text]?.search),
    bytes: texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + '),
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
        addedBy: addedBy === null ? undefined : String(addedBy),
        changedAt: toNumber(changedAt),
        changedBy: changedBy === null ? undefined : String(changedBy),
      };
    },
    toTexts(record) {
      const values = record as Readonly<Record<string, string | undefined>>;
      return texts.map((text) => values[text] ?? null);
    },
    bytesOf(record) {
      const values = record as Readonly<Record<string, string | undefined>>;
      let bytes = 0;
      for (const text of texts) bytes += Buffer.byteLength(values[text] ?? '');
      return bytes;
    },
  };
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
