import { plantFilters } from '@plant-store/contract/fields';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import {
  isTombstone,
  type ListedPlants,
  type ListLimits,
  type ListQuery,
  type PageLimits,
  type StoredPlant,
  type StoredRecord,
  withoutTombstones,
} from '../../plants/plant-store.js';
import {
  clearArguments,
  integer,
  integers,
  type QueryWrapper,
  readPages,
  text,
  texts as textList,
} from '../queries.js';
import { plantTable } from '../table.js';
import { durableColumnSql } from './probe-commit.js';

const { name: tableName, columns, texts, required, filters, searches, bytes: bytesOfTexts } = plantTable;
const selected = columns.join(', ');
const inserted = ['id', ...texts, 'added_at'].join(', ');

/** The parameters of an insert: an array for the ids and for each text, and what the times are. */
const idArray = '$1::bigint[]';
const textArrays = texts.map((_, index) => `$${index + 2}::text[]`).join(', ');
const times = `$${texts.length + 2}::bigint`;

/** Inserts the plants whose id is free, all with one time, and returns their ids. */
export const insertPlants = `
  INSERT INTO ${tableName} (${inserted})
  SELECT *, ${times} FROM unnest(${idArray}, ${textArrays})
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** The same with an array of times, as an import has them. */
const insertPlantsOfTimes = `
  INSERT INTO ${tableName} (${inserted})
  SELECT * FROM unnest(${idArray}, ${textArrays}, ${times}[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * Inserts tombstones in place of plants, and returns their ids. A row that is deleted and inserted again keeps no column, nor one that
 * another version of the service has added. The count makes all be deleted before the first one is inserted.
 */
const insertTombstones = `
  WITH erased AS (DELETE FROM ${tableName} WHERE id = ANY(${idArray}) AND NOT deleted RETURNING id)
  INSERT INTO ${tableName} (id, deleted, ${required.join(', ')})
  SELECT id, true${", ''".repeat(required.length)} FROM unnest(${idArray}) AS ids (id)
  WHERE (SELECT count(*) FROM erased) >= 0
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** How plants reach the tables of a database, which may be distributed, and how they are read from them. */
export interface PlantTable {
  /**
   * Inserts the records whose id is free, and erases the plants that tombstones have the ids of; returns the ids of both.
   * Resolves once they are on disk.
   *
   * @param records plants, or tombstones, none of them twice. They are in the order of their ids, so that two inserts that share some
   * wait for each other instead of deadlocking.
   */
  insert(connections: SqlDriverAdapter, records: readonly StoredRecord[]): Promise<readonly bigint[]>;
  /** Reads existing rows. They are going to be acknowledged, so they must be as durable as a commit. */
  find(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly StoredRecord[]>;
  /**
   * Reads all plants after an id; see `PlantStore`.
   *
   * @param run runs each of its queries
   */
  read(
    connections: SqlDriverAdapter,
    run: QueryWrapper,
    after: bigint | undefined,
    limits: PageLimits,
  ): AsyncIterable<readonly StoredRecord[]>;
}

/**
 * The table of one PostgreSQL: one statement for any number of plants. Where it has been distributed meanwhile, these statements
 * work as well, only with more work for the cluster.
 */
export const singleTable: PlantTable = {
  async insert(connections, records) {
    const query = records.some(isTombstone) ? eraseQuery(records) : insertQuery(withoutTombstones(records));
    const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
    return rows.map(([id]) => BigInt(String(id)));
  },
  async find(connections, ids) {
    const { rows } = await connections.queryRaw({
      sql: `SELECT ${selected}, ${durableColumnSql} FROM ${tableName} WHERE id = ANY($1::bigint[])`,
      args: [ids],
      argTypes: [integers],
    });
    return rows.map(plantTable.toRecord);
  },
  read: (connections, run, after, limits) =>
    readPages((last) => run(() => readPage(connections, last, limits)), after),
};

function insertQuery(plants: readonly StoredPlant[]): SqlQuery {
  const now = Date.now();
  const haveTimes = plants.some(({ addedAt }) => addedAt !== undefined);
  const rows = plants.map(plantTable.toTexts);
  return {
    sql: haveTimes ? insertPlantsOfTimes : insertPlants,
    args: [
      plants.map(({ id }) => id),
      ...texts.map((_, index) => rows.map((row) => row[index])),
      haveTimes ? plants.map(({ addedAt = now }) => addedAt) : now,
    ],
    argTypes: [integers, ...texts.map(() => textList), haveTimes ? integers : integer],
  };
}

function eraseQuery(records: readonly StoredRecord[]): SqlQuery {
  return { sql: insertTombstones, args: [records.map(({ id }) => id)], argTypes: [integers] };
}

/** The part of the plants that an order has, the place after a plant, and the order, which an index has. */
const orders = {
  id: { of: 'true', after: (id: string) => `id > ${id}`, by: 'id' },
  newest: {
    of: 'added_at IS NOT NULL',
    after: (id: string, addedAt: string) => `(added_at, id) < (${addedAt}, ${id})`,
    by: 'added_at DESC NULLS LAST, id DESC',
  },
  untimed: {
    of: 'added_at IS NULL',
    after: (id: string) => `id < ${id}`,
    by: 'id DESC',
  },
} as const;

/** Whether a plant matches: parameter 1 is what is searched for, and others are compared with columns. */
const matchesSql = [
  'NOT deleted',
  `($1::text IS NULL OR ${searches.map((column) => `position(${asciiLower('$1')} IN ${asciiLower(column)}) > 0`).join(' OR ')})`,
  ...filters.map(
    (column, index) => `($${index + 2}::text IS NULL OR ${column} IS NOT DISTINCT FROM $${index + 2})`,
  ),
].join(' AND ');

/** How many times as many plants as the last query the next one of a list examines at most. */
const maxGrowth = 8;

/** How many more a query examines than should be needed. */
const margin = 1.25;

/**
 * Examines plants as `PlantStore.list` does, and returns those that match without their texts: what is shown is read again, as
 * durably as a replay, on the node that has it.
 *
 * Without a filter all match but the deleted ones. So the first query examines a page alone, and others follow for what is
 * missing. One for as many as may be examined would do, but be planned for these: with a sort of all where an index has the order.
 */
export async function listIds(
  connections: SqlDriverAdapter,
  query: ListQuery,
  limits: ListLimits,
): Promise<{ readonly ids: readonly bigint[]; readonly last: ListedPlants['last'] }> {
  const ids: bigint[] = [];
  let { plants, bytes } = limits;
  let { after } = query;
  const isFiltered = query.q !== undefined || plantFilters.some((name) => query[name] !== undefined);
  let size = isFiltered ? plants : limits.matches;
  for (let isFirst = true; ; isFirst = false) {
    size = Math.min(size, plants);
    const missing = limits.matches - ids.length;
    const next = await examine(
      connections,
      { ...query, after },
      { matches: missing, plants: size, bytes },
      isFirst,
    );
    ids.push(...next.ids);
    after = next.last ?? after;
    plants -= size;
    if (next.isEnd) return { ids, last: undefined };
    if (next.bytesLeft === undefined || plants === 0 || ids.length === limits.matches)
      return { ids, last: after };
    bytes = next.bytesLeft;
    const expected = (limits.matches - ids.length) * (size / next.ids.length) * margin;
    size = Math.ceil(Math.min(expected, size * maxGrowth));
  }
}

/** What a query of a list has examined. */
interface Examined {
  /** Of the plants that match. */
  readonly ids: readonly bigint[];
  /** The last plant that was examined, if there was one, and whether there are no more. */
  readonly last: ListedPlants['last'];
  readonly isEnd: boolean;
  /** How many bytes the limit has left, if as many plants were examined as were to be. */
  readonly bytesLeft: number | undefined;
}

/**
 * Examines plants by one query, which measures texts without reading them. Its result has the order of its innermost part, so that
 * PostgreSQL stops once enough match.
 *
 * @param isFirst whether one is examined whatever its size
 */
async function examine(
  connections: SqlDriverAdapter,
  { order, after, q, ...query }: ListQuery,
  limits: ListLimits,
  isFirst: boolean,
): Promise<Examined> {
  // Ids and times are numbers, so they can be part of the statement.
  const { of, after: isAfter, by } = orders[order];
  const where = after === undefined ? of : `${of} AND ${isAfter(`${after.id}`, `${after.addedAt}`)}`;
  const { plants, bytes, matches } = limits;
  // One more than is examined tells whether there is a next one.
  const { rows } = await connections.queryRaw({
    sql: `
      SELECT id, added_at, matches, is_end, bytes_left FROM (
        SELECT id, added_at, place, next_bytes IS NULL AND place <= ${plants} AS is_end,
          next_bytes IS NULL OR total + next_bytes > ${bytes} OR place = ${plants} AS is_last,
          CASE WHEN place = ${plants} THEN ${bytes} - total END AS bytes_left,
          ${matchesSql} AS matches
        FROM (
          SELECT ${selected}, row_number() OVER in_order AS place,
            sum(bytes) OVER in_order AS total, lead(bytes) OVER in_order AS next_bytes
          FROM (
            SELECT ${selected}, ${bytesOfTexts} AS bytes
            FROM ${tableName} WHERE ${where} ORDER BY ${by} LIMIT ${plants + 1}
          ) AS next WINDOW in_order AS (ORDER BY ${by})
        ) AS page WHERE place <= ${plants} AND (${isFirst ? 'place = 1 OR ' : ''}total <= ${bytes})
      ) AS examined WHERE matches OR is_last ORDER BY ${by} LIMIT ${matches}`,
    args: [q ?? null, ...plantFilters.map((name) => query[name] ?? null)],
    argTypes: [text, ...filters.map(() => text)],
  });
  const found = rows.map(([id, addedAt, matches, isEnd, bytesLeft]) => ({
    position: { id: BigInt(String(id)), ...(addedAt !== null && { addedAt: Number(addedAt) }) },
    matches: matches === true,
    isEnd: isEnd === true,
    bytesLeft: bytesLeft === null ? undefined : Number(bytesLeft),
  }));
  const end = found.at(-1);
  return {
    ids: found.flatMap(({ position, matches }) => (matches ? position.id : [])),
    last: end?.position,
    isEnd: end === undefined ? isFirst : end.isEnd,
    bytesLeft: end?.bytesLeft,
  };
}

/** A text with its ASCII letters in lower case, as SQLite has it; `lower` would depend on the locale. */
function asciiLower(sql: string): string {
  return `translate(${sql}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;
}

/**
 * Reads as many of the next plants as the limits allow, at least one. The query measures more texts than it returns,
 * which PostgreSQL does without reading them.
 */
async function readPage(
  connections: SqlDriverAdapter,
  after: bigint | undefined,
  { plants, bytes }: PageLimits,
): Promise<readonly StoredRecord[]> {
  const { rows } = await connections.queryRaw({
    sql: `
      WITH next AS (
        SELECT id, ${bytesOfTexts} AS bytes
        FROM ${tableName} WHERE $1::bigint IS NULL OR id > $1 ORDER BY id LIMIT $2
      ), page AS (
        SELECT id, row_number() OVER in_order AS place, sum(bytes) OVER in_order AS total
        FROM next WINDOW in_order AS (ORDER BY id)
      )
      SELECT ${selected} FROM page JOIN ${tableName} USING (id) WHERE place = 1 OR total <= $3 ORDER BY id`,
    args: [after ?? null, BigInt(plants), BigInt(bytes)],
    argTypes: [integer, integer, integer],
  });
  return rows.map(plantTable.toRecord);
}
