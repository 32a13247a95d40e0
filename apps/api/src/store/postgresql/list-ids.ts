import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { ListLimits, ListPosition, ListQuery } from '../store.js';
import { type Table, text } from '../table.js';

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

/** Whether a record matches: parameter 1 is what is searched for, and others are compared with columns. */
function matchesSql({ searches, filters }: Table): string {
  const found = searches.map((column) => `position(${asciiLower('$1')} IN ${asciiLower(column)}) > 0`);
  const isEqual = filters.map(
    (column, index) => `($${index + 2}::text IS NULL OR ${column} IS NOT DISTINCT FROM $${index + 2})`,
  );
  return ['NOT deleted', `($1::text IS NULL OR ${found.join(' OR ')})`, ...isEqual].join(' AND ');
}

/** How many times as many plants as the last query the next one of a list examines at most. */
const maxGrowth = 8;

/** How many more a query examines than should be needed. */
const margin = 1.25;

/**
 * Examines plants as `Store.list` does, and returns those that match without their texts: what is shown is read again, as
 * durably as a replay, on the node that has it.
 *
 * Without a filter all match but the deleted ones. So the first query examines a page alone, and others follow for what is
 * missing. One for as many as may be examined would do, but be planned for these: with a sort of all where an index has the order.
 */
export async function listIds(
  connections: SqlDriverAdapter,
  table: Table,
  query: ListQuery,
  limits: ListLimits,
): Promise<{ readonly ids: readonly bigint[]; readonly last: ListPosition | undefined }> {
  const ids: bigint[] = [];
  let { plants, bytes } = limits;
  let { after } = query;
  const isFiltered = query.q !== undefined || table.filters.some((name) => query.equal?.[name] !== undefined);
  let size = isFiltered ? plants : limits.matches;
  for (let isFirst = true; ; isFirst = false) {
    size = Math.min(size, plants);
    const missing = limits.matches - ids.length;
    const next = await examine(
      connections,
      table,
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
  readonly last: ListPosition | undefined;
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
  table: Table,
  { order, after, q, equal }: ListQuery,
  limits: ListLimits,
  isFirst: boolean,
): Promise<Examined> {
  // Ids and times are numbers, so they can be part of the statement.
  const { of, after: isAfter, by } = orders[order];
  const where = after === undefined ? of : `${of} AND ${isAfter(`${after.id}`, `${after.addedAt}`)}`;
  const { plants, bytes, matches } = limits;
  const selected = table.columns.join(', ');
  // One more than is examined tells whether there is a next one.
  const { rows } = await connections.queryRaw({
    sql: `
      SELECT id, added_at, matches, is_end, bytes_left FROM (
        SELECT id, added_at, place, next_bytes IS NULL AND place <= ${plants} AS is_end,
          next_bytes IS NULL OR total + next_bytes > ${bytes} OR place = ${plants} AS is_last,
          CASE WHEN place = ${plants} THEN ${bytes} - total END AS bytes_left,
          ${matchesSql(table)} AS matches
        FROM (
          SELECT ${selected}, row_number() OVER in_order AS place,
            sum(bytes) OVER in_order AS total, lead(bytes) OVER in_order AS next_bytes
          FROM (
            SELECT ${selected}, ${table.bytes} AS bytes
            FROM ${table.name} WHERE ${where} ORDER BY ${by} LIMIT ${plants + 1}
          ) AS next WINDOW in_order AS (ORDER BY ${by})
        ) AS page WHERE place <= ${plants} AND (${isFirst ? 'place = 1 OR ' : ''}total <= ${bytes})
      ) AS examined WHERE matches OR is_last ORDER BY ${by} LIMIT ${matches}`,
    args: [q ?? null, ...table.filters.map((name) => equal?.[name] ?? null)],
    argTypes: [text, ...table.filters.map(() => text)],
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
