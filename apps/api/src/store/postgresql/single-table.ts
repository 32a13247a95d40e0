import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import {
  isTombstone,
  type ListedPlants,
  type ListLimits,
  type ListQuery,
  type PageLimits,
  type StoredRecord,
} from '../../plants/plant-store.js';
import {
  clearArguments,
  eraseOnConflict,
  integer,
  integers,
  type QueryWrapper,
  readPages,
  text,
  texts,
} from '../queries.js';
import { toRecord } from '../resolve-insert-outcomes.js';
import { durableColumnSql } from './probe-commit.js';

/**
 * Inserts the plants whose id is free and returns their ids. Its parameters are arrays of the ids, names and tags, and the time of
 * all.
 */
export const insertPlants = `
  INSERT INTO plants (id, name, tag, added_at)
  SELECT id, name, tag, $4::bigint FROM unnest($1::bigint[], $2::text[], $3::text[]) AS plants (id, name, tag)
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** The same with an array of times, as an import has them. */
const insertPlantsOfTimes = `
  INSERT INTO plants (id, name, tag, added_at)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** The same with tombstones: plants without a name. No id may occur twice. */
const insertRecords = `
  INSERT INTO plants (id, name, tag, added_at, deleted)
  SELECT id, coalesce(name, ''), tag, added_at, name IS NULL
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS records (id, name, tag, added_at)
  ${eraseOnConflict} RETURNING id`;

/** How plants reach the tables of a database, which may be distributed, and how they are read from them. */
export interface PlantTable {
  /**
   * Inserts the records whose id is free, and erases the plants that tombstones have the ids of; returns the ids of both.
   * Resolves once they are on disk.
   *
   * @param records in the order of their ids, so that two inserts that share some wait for each other instead of deadlocking.
   * If there are tombstones, no id occurs twice.
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
    const now = Date.now();
    const hasTombstones = records.some(isTombstone);
    const plants = records.map((record) =>
      isTombstone(record) ? { id: record.id, name: null, tag: null, addedAt: null } : record,
    );
    const haveTimes = hasTombstones || plants.some(({ addedAt }) => addedAt !== undefined);
    const query = {
      sql: hasTombstones ? insertRecords : haveTimes ? insertPlantsOfTimes : insertPlants,
      args: [
        plants.map(({ id }) => id),
        plants.map(({ name }) => name),
        plants.map(({ tag }) => tag ?? null),
        haveTimes ? plants.map(({ addedAt = now }) => addedAt) : now,
      ],
      argTypes: [integers, texts, texts, haveTimes ? integers : integer],
    };
    const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
    return rows.map(([id]) => BigInt(String(id)));
  },
  async find(connections, ids) {
    const { rows } = await connections.queryRaw({
      sql: `SELECT id, name, tag, added_at, deleted, ${durableColumnSql} FROM plants WHERE id = ANY($1::bigint[])`,
      args: [ids],
      argTypes: [integers],
    });
    return rows.map(toRecord);
  },
  read: (connections, run, after, limits) =>
    readPages((last) => run(() => readPage(connections, last, limits)), after),
};

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
  let size = query.tag === undefined && query.q === undefined ? limits.matches : plants;
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
  { order, after, tag, q }: ListQuery,
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
          NOT deleted AND ($1::text IS NULL OR tag IS NOT DISTINCT FROM $1)
            AND ($2::text IS NULL OR position(${asciiLower('$2')} IN ${asciiLower('name')}) > 0) AS matches
        FROM (
          SELECT id, name, tag, added_at, deleted, row_number() OVER in_order AS place,
            sum(bytes) OVER in_order AS total, lead(bytes) OVER in_order AS next_bytes
          FROM (
            SELECT id, name, tag, added_at, deleted, octet_length(name) + coalesce(octet_length(tag), 0) AS bytes
            FROM plants WHERE ${where} ORDER BY ${by} LIMIT ${plants + 1}
          ) AS next WINDOW in_order AS (ORDER BY ${by})
        ) AS page WHERE place <= ${plants} AND (${isFirst ? 'place = 1 OR ' : ''}total <= ${bytes})
      ) AS examined WHERE matches OR is_last ORDER BY ${by} LIMIT ${matches}`,
    args: [tag ?? null, q ?? null],
    argTypes: [text, text],
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
        SELECT id, octet_length(name) + coalesce(octet_length(tag), 0) AS bytes
        FROM plants WHERE $1::bigint IS NULL OR id > $1 ORDER BY id LIMIT $2
      ), page AS (
        SELECT id, row_number() OVER in_order AS place, sum(bytes) OVER in_order AS total
        FROM next WINDOW in_order AS (ORDER BY id)
      )
      SELECT id, name, tag, added_at, deleted FROM page JOIN plants USING (id) WHERE place = 1 OR total <= $3 ORDER BY id`,
    args: [after ?? null, BigInt(plants), BigInt(bytes)],
    argTypes: [integer, integer, integer],
  });
  return rows.map(toRecord);
}
