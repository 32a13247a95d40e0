import { setImmediate } from 'node:timers/promises';
import { foldText, searchText } from '@plant-store/contract/fold-text';
import {
  type CountedValues,
  type CountLimits,
  isFiltered,
  isTombstone,
  type Listed,
  type ListLimits,
  type ListPosition,
  type ListQuery,
  withoutTombstones,
} from '@plant-store/records';
import { columnOf, columnTypes, comparedIn, type Table } from '../table.js';
import { durableColumnSql, durableOnceSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

/** What a list knows of its table. */
type TableParts = Pick<Table, 'name' | 'fields' | 'columns' | 'searches' | 'bytes'>;

/** The part of the records that an order has, the place after a record, and the order, which an index has. */
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

/** Whether a record matches but for what is searched for: parameters are compared with columns. */
function matchesSql(table: TableParts, { order, equal, addedFrom, addedBefore }: ListQuery): string {
  const isEqual = comparedIn(table, equal).map(
    ([{ column, kind }], index) =>
      `${column} IS NOT DISTINCT FROM $${index + 1}::${columnTypes.postgresql[kind]}`,
  );
  const range = order === 'newest' ? [] : rangeSql(addedFrom, addedBefore);
  return ['NOT deleted', ...isEqual, ...range].join(' AND ');
}

/** Times are numbers, so they can be part of the statement. */
function rangeSql(from: number | undefined, before: number | undefined): string[] {
  return [
    ...(from === undefined ? [] : [`added_at >= ${from}`]),
    ...(before === undefined ? [] : [`added_at < ${before}`]),
  ];
}

/** How many times as many records as the last query the next one of a list examines at most. */
const maxGrowth = 8;

/** How many more a query examines than should be needed. */
const margin = 1.25;

/** How many records the first query examines whose texts are searched here, if a page has no more, and any other at most. */
const recordsPerSearch = { first: 250, most: 2_000 };

/** How long texts are searched by default, and how long in a turn of the event loop, in milliseconds. */
const defaultDurationMs = 100;
const turnMs = 3;

/**
 * Examines records as `Store.list` does, and returns those that match without their texts: what is shown is read again, as
 * durably as a replay, on the node that has it.
 *
 * Without a filter all match but the deleted ones. So the first query examines a page alone, and others follow for what is
 * missing. One for as many as may be examined would do, but be planned for these: with a sort of all where an index has the order.
 *
 * Texts are searched here, since what PostgreSQL knows of letters depends on its server.
 */
export async function listIds(
  run: Query,
  table: TableParts,
  query: ListQuery,
  limits: ListLimits,
): Promise<{ readonly ids: readonly bigint[]; readonly last: ListPosition | undefined }> {
  const ids: bigint[] = [];
  let { records, bytes } = limits;
  let { after } = query;
  const { order, q, addedFrom, addedBefore } = query;
  const search = q === undefined ? undefined : createSearch(q, limits.durationMs ?? defaultDurationMs);
  const isRange = order !== 'newest' && (addedFrom !== undefined || addedBefore !== undefined);
  const isFiltered = isRange || comparedIn(table, query.equal).length > 0;
  let size = search
    ? Math.max(recordsPerSearch.first, limits.matches)
    : isFiltered
      ? records
      : limits.matches;
  for (let isFirst = true; ; isFirst = false) {
    size = Math.min(size, records);
    const missing = limits.matches - ids.length;
    const next = await examine(
      run,
      table,
      { ...query, after },
      { matches: missing, records: size, bytes },
      { isFirst, search },
    );
    ids.push(...next.ids);
    after = next.last ?? after;
    records -= size;
    if (next.isEnd) return { ids, last: undefined };
    if (next.bytesLeft === undefined || records === 0 || ids.length === limits.matches)
      return { ids, last: after };
    bytes = next.bytesLeft;
    const expected = (limits.matches - ids.length) * (size / next.ids.length) * margin;
    size = Math.ceil(Math.min(expected, size * maxGrowth, search ? recordsPerSearch.most : records));
  }
}

/** What a query of a list has examined. */
interface Examined {
  /** Of the records that match. */
  readonly ids: readonly bigint[];
  /** The last record that was examined, if there was one, and whether there are no more. */
  readonly last: ListPosition | undefined;
  readonly isEnd: boolean;
  /** How many bytes the limit has left, if as many records were examined as were to be. */
  readonly bytesLeft: number | undefined;
}

/**
 * Examines records by one query, which measures texts without reading them. Its result has the order of its innermost part, so that
 * PostgreSQL stops once enough match.
 *
 * @param options whether one is examined whatever its size, and what searches the texts of those that match otherwise
 */
async function examine(
  run: Query,
  table: TableParts,
  query: ListQuery,
  limits: ListLimits,
  { isFirst, search }: { readonly isFirst: boolean; readonly search: Search | undefined },
): Promise<Examined> {
  const { order, after, equal, addedFrom, addedBefore } = query;
  // Ids and times are numbers, so they can be part of the statement.
  const { of, after: isAfter, by } = orders[order];
  const where = [
    of,
    ...(after === undefined ? [] : [isAfter(`${after.id}`, `${after.addedAt}`)]),
    ...(order === 'newest' ? rangeSql(addedFrom, addedBefore) : []),
  ];
  const searched = search ? table.searches.map((column) => `, CASE WHEN matches$ THEN ${column} END`) : [];
  const { records, bytes, matches } = limits;
  const selected = table.columns.join(', ');
  const rows = await run({
    sql: `
      SELECT id, added_at, matches$, is_end$, bytes_left$${searched.join('')} FROM (
        SELECT ${selected}, place$, next_bytes$ IS NULL AND place$ <= ${records} AS is_end$,
          next_bytes$ IS NULL OR total$ + next_bytes$ > ${bytes} OR place$ = ${records} AS is_last$,
          CASE WHEN place$ = ${records} THEN ${bytes} - total$ END AS bytes_left$,
          ${matchesSql(table, query)} AS matches$
        FROM (${measureSql(table, where, by, records)}) AS page WHERE place$ <= ${records} AND (${isFirst ? 'place$ = 1 OR ' : ''}total$ <= ${bytes})
      ) AS examined WHERE matches$ OR is_last$ ORDER BY ${by} ${search ? '' : `LIMIT ${matches}`}`,
    args: comparedIn(table, equal).map(([, value]) => value),
  });
  const found = (search ? await search.filter(rows, matches) : rows).map(
    ([id, addedAt, matches, isEnd, bytesLeft]) => ({
      position: { id: BigInt(String(id)), ...(addedAt !== null && { addedAt: Number(addedAt) }) },
      matches: matches === true,
      isEnd: isEnd === true,
      bytesLeft: bytesLeft === null ? undefined : Number(bytesLeft),
    }),
  );
  const end = found.at(-1);
  return {
    ids: found.flatMap(({ position, matches }) => (matches ? position.id : [])),
    last: end?.position,
    isEnd: end === undefined ? isFirst : end.isEnd,
    bytesLeft: end?.bytesLeft,
  };
}

/** The next records in an order, one more than are examined, which tells whether there is a next one; each with what precedes it. */
function measureSql(
  { name, columns, bytes }: TableParts,
  where: readonly string[],
  by: string,
  records: number,
  besides: readonly string[] = [],
): string {
  const selected = columns.join(', ');
  return `
    SELECT *, row_number() OVER in_order AS place$,
      sum(bytes$) OVER in_order AS total$, lead(bytes$) OVER in_order AS next_bytes$
    FROM (
      SELECT ${[selected, `${bytes} AS bytes$`, ...besides].join(', ')}
      FROM ${name} WHERE ${where.join(' AND ')} ORDER BY ${by} LIMIT ${records + 1}
    ) AS next WINDOW in_order AS (ORDER BY ${by})`;
}

/**
 * Counts values as `Store.countValues` does.
 *
 * @param isDistributed whether several nodes have the records: then each must say that what it has is durable
 */
export async function countValues(
  run: Query,
  table: TableParts,
  { field, after, isDistributed }: { field: string; after: bigint | undefined; isDistributed: boolean },
  { records, bytes }: CountLimits,
): Promise<CountedValues> {
  const { of, after: isAfter, by } = orders.id;
  const column = columnOf(table, field);
  const where = after === undefined ? [of] : [isAfter(`${after}`)];
  const durable = isDistributed ? [`${durableColumnSql} AS durable$`] : [];
  const rows = await run({
    sql: `
      SELECT ${column}, count(*) FILTER (WHERE NOT deleted), max(max(id)) OVER (),
        bool_or(bool_or(next_bytes$ IS NULL)) OVER (),
        ${isDistributed ? 'bool_and(durable$)' : durableColumnSql}
      FROM (${measureSql(table, where, by, records, durable)}) AS page
      WHERE place$ <= ${records} AND (place$ = 1 OR total$ <= ${bytes}) GROUP BY ${column}`,
  });
  const [, , end, isEnd] = rows[0] ?? [];
  return {
    counts: rows.flatMap(([value, count]) =>
      typeof value === 'string' && Number(count) > 0 ? [[value, Number(count)] as const] : [],
    ),
    last: end === undefined || isEnd === true ? undefined : BigInt(String(end)),
  };
}

/** Searches texts in short turns of the event loop, which has others to serve. */
interface Search {
  /**
   * Searches rows of `examine`, until so many match, or that has taken as long as it may. The first row of a list is searched to the
   * end, so that the next page begins after it.
   *
   * @returns those that were searched to the end, without the match of those that have not what is searched for
   */
  filter(rows: readonly (readonly unknown[])[], matches: number): Promise<readonly (readonly unknown[])[]>;
}

function createSearch(q: string, durationMs: number): Search {
  const folded = foldText(q);
  let leftMs = durationMs;
  let startedAt = 0;
  let isFirst = true;
  /** Lets others have their turn. */
  async function rest(): Promise<void> {
    leftMs -= performance.now() - startedAt;
    await setImmediate();
    startedAt = performance.now();
  }
  /** Resolves to `undefined` if the time ends within the texts. */
  async function hasOne(texts: readonly unknown[]): Promise<boolean | undefined> {
    for (const text of texts) {
      if (typeof text !== 'string') continue;
      const search = searchText(text, folded);
      let step = search.next();
      while (!step.done) {
        if (performance.now() - startedAt > turnMs) await rest();
        step = search.next();
        if (!step.done && !isFirst && leftMs <= 0) return undefined;
      }
      if (step.value) return true;
    }
    return false;
  }
  return {
    async filter(rows, matches) {
      startedAt = performance.now();
      const searched: (readonly unknown[])[] = [];
      let matched = 0;
      for (const [id, addedAt, isMatch, isEnd, bytesLeft, ...texts] of rows) {
        const isFound = isMatch === true && (await hasOne(texts));
        if (isFound === undefined) break;
        isFirst = false;
        searched.push([id, addedAt, isFound, isEnd, bytesLeft]);
        if (isFound) matched++;
        if (matched === matches || leftMs <= 0) break;
      }
      leftMs -= performance.now() - startedAt;
      return searched;
    },
  };
}

/** The most records of such a page. Its statement is planned for as many, whatever its page has, and is read only as far as needed. */
const longestPage = 1_000;

/**
 * Creates a function that lists a page of all records, of one server, by one statement whose plan each connection keeps; `undefined`
 * if it has a filter, more records, a tombstone, or a first record that is too large. A row that is not of the page any more shows that
 * there is a next one.
 */
export function createListPage<Fields>(query: Query, { name, columns, bytes, toRecord }: Table<Fields>) {
  const selected = columns.join(', ');

  /** Reads the first row with which the page would have too many bytes, too, and no further one. */
  function compose({ order, after }: ListQuery, rows: number, maxBytes: number): Statement {
    const { of, after: isAfter, by } = orders[order];
    const position = [after?.id, order === 'newest' ? after?.addedAt : undefined];
    return {
      sql: `
        SELECT ${selected}, CASE WHEN total$ > $2 THEN true END FROM (
          SELECT *, sum(bytes$) OVER (ORDER BY ${by} ROWS UNBOUNDED PRECEDING) AS total$ FROM (
            SELECT ${selected}, ${bytes} AS bytes$ FROM ${name}
            WHERE ${of}${after === undefined ? '' : ` AND ${isAfter('$3', '$4')}`} ORDER BY ${by} LIMIT ${longestPage + 1}
          ) AS next
        ) AS page WHERE total$ - bytes$ <= $2 AND ${durableOnceSql} IS NOT FALSE ORDER BY ${by} LIMIT $1`,
      args: [rows, maxBytes, ...position.filter((value) => value !== undefined)],
      name: `list_${order}${after === undefined ? '' : '_after'}_${name}`,
    };
  }

  return async function listPage(
    list: ListQuery,
    { matches, records: examined, bytes }: ListLimits,
  ): Promise<Listed<Fields> | undefined> {
    const length = Math.min(matches, examined);
    if (isFiltered(list) || length > longestPage) return undefined;
    const rows = await query(compose(list, length + 1, bytes));
    const records = rows.map(toRecord);
    const exceeds = (at: number) => rows[at]?.[columns.length] === true;
    if (records.some(isTombstone) || exceeds(0)) return undefined;
    const page = withoutTombstones(records.filter((_, at) => at < length && !exceeds(at)));
    const end = page.length < records.length ? page.at(-1) : undefined;
    return { records: page, last: end && { id: end.id, addedAt: end.addedAt ?? undefined } };
  };
}
