import type { Plant } from '@plant-store/contract';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { type PlantRecord, plantTable } from '../../../plants/plant-store.js';
import { clearArguments, integer, text } from '../../queries.js';
import { isTombstone } from '../../store.js';
import { createSingleTable, type TableAccess } from '../single-table.js';

const { name, columns, texts, erased, bytes } = plantTable;
const inserted = ['id', ...texts, 'added_at'];

/** The most rows whose statement is prepared, and whose text is kept: of larger batches both cost more than they save. */
const keptRows = 64;
const kept: string[] = [];

/** Of how many pages a query reads the sizes. */
const pagesPerQuery = 10;

/** Makes each connection keep the plans of the inserts that run all the time. */
export function nameStatement({ sql, args }: SqlQuery): string {
  const rows = args.length / inserted.length;
  return rows <= keptRows && sql === kept[rows] ? `insert_${rows}_plants` : '';
}

/**
 * The table of plants, distributed by Citus. It finds the shards of the rows in a list of values, but not in what `unnest`
 * returns, and inserts shard by shard in the order of their numbers: of two inserts with the same ids none waits for the other in
 * a circle.
 */
export const distributedTable: TableAccess<Plant> = {
  async insert(connections, records) {
    const now = Date.now();
    const rows = records.map((record) => {
      const { addedAt = now } = isTombstone(record) ? { addedAt: null } : record;
      return [record.id, ...plantTable.toTexts(record), addedAt === null ? null : BigInt(addedAt)];
    });
    const query = {
      sql: records.some(isTombstone) ? composeErase(records) : insertOf(records.length),
      args: rows.flat(),
      argTypes: rows.flatMap(() => [integer, ...texts.map(() => text), integer]),
    };
    const result = await clearArguments(query, (statement) => connections.queryRaw(statement));
    return result.rows.map(([id]) => BigInt(String(id)));
  },
  find: createSingleTable(plantTable).find,
  async *read(connections, run, after, { plants, bytes: maxBytes }) {
    const read = (sql: string) =>
      run(() => connections.queryRaw({ sql, args: [], argTypes: [] })).then(({ rows }) => rows);
    let last = after;
    for (;;) {
      const rest = last === undefined ? '' : `WHERE id > ${last}`;
      // Each shard sends as many rows as all together may be, so these are without their texts.
      const limit = plants * pagesPerQuery;
      const sizes = await read(`SELECT id, ${bytes} FROM ${name} ${rest} ORDER BY id LIMIT ${limit}`);
      for (const [first, end] of divide(sizes, plants, maxBytes)) {
        const page = `SELECT ${columns} FROM ${name} WHERE id BETWEEN ${first} AND ${end} ORDER BY id`;
        yield (await read(page)).map(plantTable.toRecord);
        last = BigInt(end);
      }
      if (sizes.length < limit) return;
    }
  },
};

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

function insertOf(rows: number): string {
  if (rows > keptRows) return composeInsert(rows);
  kept[rows] ??= composeInsert(rows);
  return kept[rows];
}

function composeInsert(rows: number): string {
  const values = Array.from({ length: rows }, (_, index) => `(${parametersOf(index)})`);
  return `INSERT INTO ${name} (${inserted}) VALUES ${values} ON CONFLICT (id) DO NOTHING RETURNING id`;
}

/** Tombstones update what they replace: Citus has no statement that deletes and inserts rows of several shards. */
function composeErase(records: readonly PlantRecord[]): string {
  const rows = records.map((record, index) => `(${parametersOf(index)}, ${isTombstone(record)})`);
  return `INSERT INTO ${name} (${inserted}, deleted) VALUES ${rows} ON CONFLICT (id)
    DO UPDATE SET ${erased}, deleted = true WHERE excluded.deleted AND NOT ${name}.deleted RETURNING id`;
}

/** The parameters of a row. */
function parametersOf(index: number): string {
  const typeOf = (column: string) => (texts.includes(column) ? 'text' : 'bigint');
  return inserted
    .map((column, place) => `$${inserted.length * index + place + 1}::${typeOf(column)}`)
    .join(', ');
}
