import type { Plant } from '@plant-store/contract';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { type PlantRecord, plantTable } from '../../../plants/plant-store.js';
import { clearArguments, integer, readPages, text } from '../../queries.js';
import { isTombstone } from '../../store.js';
import { createSingleTable, type TableAccess } from '../single-table.js';

const { name, columns, texts, required, bytes } = plantTable;
const inserted = ['id', ...texts, 'added_at'];

/** The most rows whose statement is prepared, and whose text is kept: of larger batches both cost more than they save. */
const keptRows = 64;
const kept: string[] = [];

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
  read: (connections, run, after, { plants, bytes: maxBytes }) =>
    readPages(async (from) => {
      const range = from === undefined ? '' : `WHERE id > ${from}`;
      const read = (sql: string) =>
        run(() => connections.queryRaw({ sql, args: [], argTypes: [] })).then(({ rows }) => rows);
      // Each shard sends as many rows as a page has, so first without their texts.
      const sizes = await read(`SELECT id, ${bytes} FROM ${name} ${range} ORDER BY id LIMIT ${plants}`);
      let [total, count] = [0, 0];
      for (const [, size] of sizes) {
        total += Number(size);
        if (total > maxBytes && count > 0) break;
        count++;
      }
      const [last] = sizes[count - 1] ?? [];
      if (last === undefined) return [];
      const page = `${range === '' ? 'WHERE' : `${range} AND`} id <= ${last}`;
      return (await read(`SELECT ${columns} FROM ${name} ${page} ORDER BY id`)).map(plantTable.toRecord);
    }, after),
};

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
  const rows = records.map((_, index) => `(${parametersOf(index)}, true)`);
  const erased = texts.map((column) => `${column} = ${required.includes(column) ? "''" : 'NULL'}`);
  return `INSERT INTO ${name} (${inserted}, deleted) VALUES ${rows} ON CONFLICT (id)
    DO UPDATE SET ${erased}, added_at = NULL, deleted = true WHERE NOT plants.deleted RETURNING id`;
}

/** The parameters of a row. */
function parametersOf(index: number): string {
  const typeOf = (column: string) => (texts.includes(column) ? 'text' : 'bigint');
  return inserted
    .map((column, place) => `$${inserted.length * index + place + 1}::${typeOf(column)}`)
    .join(', ');
}
