import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { integer, type QueryWrapper, text } from '../../queries.js';
import type { PageLimits, StoredRecord } from '../../store.js';
import type { Table } from '../../table.js';
import type { InsertStatement } from '../postgresql-store.js';

/** The most rows whose statement is prepared, and whose text is kept: of larger batches both cost more than they save. */
const keptRows = 64;

/** Of how many pages a query reads the sizes. */
const pagesPerQuery = 10;

/**
 * An insert with a list of values: Citus finds the shards of these, but not of what `unnest` returns,
 * and inserts shard by shard in the order of their numbers, so that of two inserts with the same ids none waits for the other in a
 * circle.
 */
export function createInsertOfValues<Resource>({
  name,
  texts,
  toTexts,
}: Table<Resource>): InsertStatement<Resource> {
  const types = ['bigint', ...texts.map(() => 'text'), 'bigint'];
  const argTypes = [integer, ...texts.map(() => text), integer];
  const kept: string[] = [];
  const names = new Map<string, string>();

  function compose(rows: number): string {
    const valuesOf = (_: unknown, row: number) =>
      `(${types.map((type, at) => `$${types.length * row + at + 1}::${type}`).join(', ')})`;
    return `INSERT INTO ${name} (${['id', ...texts, 'added_at']}) VALUES ${Array.from({ length: rows }, valuesOf)}
      ON CONFLICT (id) DO NOTHING RETURNING id`;
  }

  function statementOf(rows: number): string {
    if (rows > keptRows) return compose(rows);
    const sql = kept[rows] ?? compose(rows);
    kept[rows] = sql;
    names.set(sql, `insert_${rows}_${name}`);
    return sql;
  }

  return {
    compose(records) {
      const now = Date.now();
      return {
        sql: statementOf(records.length),
        args: records.flatMap((record) => {
          const { id, addedAt = now } = record;
          return [id, ...toTexts(record), addedAt === null ? null : BigInt(addedAt)];
        }),
        argTypes: records.flatMap(() => argTypes),
      };
    },
    nameOf: ({ sql }) => names.get(sql) ?? '',
  };
}

/** Reads all records of a distributed table; see `Store.read`. Each shard would send as many rows with their texts as a page may have. */
export async function* readDistributed<Resource>(
  connections: SqlDriverAdapter,
  { name, columns, bytes, toRecord }: Table<Resource>,
  transact: QueryWrapper,
  after: bigint | undefined,
  { plants, bytes: maxBytes }: PageLimits,
): AsyncGenerator<readonly StoredRecord<Resource>[]> {
  const read = async (sql: string) =>
    (await transact(() => connections.queryRaw({ sql, args: [], argTypes: [] }))).rows;
  let last = after;
  for (;;) {
    const rest = last === undefined ? '' : `WHERE id > ${last}`;
    const limit = plants * pagesPerQuery;
    const sizes = await read(`SELECT id, ${bytes} FROM ${name} ${rest} ORDER BY id LIMIT ${limit}`);
    for (const [first, end] of divide(sizes, plants, maxBytes)) {
      const page = `SELECT ${columns} FROM ${name} WHERE id BETWEEN ${first} AND ${end} ORDER BY id`;
      yield (await read(page)).map(toRecord);
      last = BigInt(end);
    }
    if (sizes.length < limit) return;
  }
}

/** Divides ids with their sizes into pages, each given by its first and its last id. */
function* divide(sizes: readonly unknown[][], plants: number, maxBytes: number): Generator<[string, string]> {
  let page: string[] = [];
  let total = 0;
  for (const [id, size] of sizes) {
    total += Number(size);
    if (page.length === plants || (page.length > 0 && total > maxBytes)) {
      yield [page[0] ?? '', page.at(-1) ?? ''];
      page = [];
      total = Number(size);
    }
    page.push(String(id));
  }
  if (page.length > 0) yield [page[0] ?? '', page.at(-1) ?? ''];
}
