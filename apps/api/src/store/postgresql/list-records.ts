import { setImmediate } from 'node:timers/promises';
import { foldText, searchText } from '@plant-store/contract/fold-text';
import {
  type CountedValues,
  isFiltered,
  isTombstone,
  type Listed,
  type ListFilter,
  type ListLimits,
  type ListPosition,
  type ListQuery,
  partsOfOrder,
  sortedCharacters,
  sortKeyOf,
  type Total,
  withoutTombstones,
} from '@plant-store/records';
import { columnOf, columnTypes, isIndexedSql, isLong, maxIndexedBytes, type Table } from '../table.js';
import { confirmDurableSql, confirmOnceSql, confirmPerRowSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

type TableParts = Pick<Table, 'name' | 'fields' | 'columns' | 'searches' | 'bytes'>;

/** SQL for whether a text is ASCII, which PostgreSQL can fold to lowercase. How it folds other letters depends on the server. */
const isAscii = (column: string) => `octet_length(${column}) = char_length(${column})`;

const lower = (column: string) => `lower(${column} COLLATE "C")`;

/** The order of a list. */
interface Order {
  readonly by: string;
  /** The same order, written so that PostgreSQL does not use an index for it. */
  readonly bySorting: string;
  /** The condition for the rows of the list. */
  readonly condition: string;
  /** The condition for the rows after a position. */
  after(id: string, addedAt?: string): string;
}

/** Describes an order that has an index. */
function describeOrder(order: string): Order {
  const { by, isDescending } = partsOfOrder(order);
  const [direction, beyond] = isDescending ? [' DESC', '<'] : ['', '>'];
  if (by !== 'time')
    return {
      by: `id${direction}`,
      bySorting: `id + 0${direction}`,
      condition: by === 'id' ? 'true' : 'added_at IS NULL',
      after: (id) => `id ${beyond} ${id}`,
    };
  const byTime = (time: string) =>
    isDescending ? `${time} DESC NULLS LAST, id DESC` : `${time} NULLS FIRST, id`;
  return {
    by: byTime('added_at'),
    bySorting: byTime('added_at + 0'),
    condition: 'added_at IS NOT NULL',
    after: (id, addedAt) => `(added_at, id) ${beyond} (${addedAt}, ${id})`,
  };
}

interface Condition {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** The condition of a list without its search. */
interface Matches extends Condition {
  /** The same condition, written so that PostgreSQL uses indexes of texts. With it, PostgreSQL estimates too few rows. */
  readonly indexedSql: string;
}

function matchesSql({ fields }: TableParts, { equal = {}, addedFrom, addedBefore }: ListFilter): Matches {
  const args: unknown[] = [];
  const isIndexed: string[] = [];
  const isEqual = fields.flatMap(({ field, column, kind }) => {
    const values = equal[field];
    if (values === undefined) return [];
    const others = values.filter((value) => value !== null);
    const absent = values.length > others.length ? [`${column} IS NULL`] : [];
    if (others.length > 0) args.push(others.length === 1 ? others[0] : others);
    const type = columnTypes.postgresql[kind];
    if (type === 'TEXT' && others.every((value) => Buffer.byteLength(String(value)) <= maxIndexedBytes))
      isIndexed.push(isIndexedSql(column));
    const among = others.length === 1 ? `$${args.length}::${type}` : `ANY($${args.length}::${type}[])`;
    return `(${[...(others.length === 0 ? [] : [`${column} = ${among}`]), ...absent].join(' OR ')})`;
  });
  // Times are numbers, so they can be part of the statement.
  const range = [
    ...(addedFrom === undefined ? [] : [`added_at >= ${addedFrom}`]),
    ...(addedBefore === undefined ? [] : [`added_at < ${addedBefore}`]),
  ];
  const all = [...isEqual, ...range, 'NOT deleted'];
  return { sql: all.join(' AND '), indexedSql: [...all, ...isIndexed].join(' AND '), args };
}

/** The condition for records that may match a search. PostgreSQL searches ASCII texts; other texts are searched in this process. */
function mayHaveSql({ searches }: TableParts, folded: string, place: number): Condition {
  // An ASCII text never contains a non-ASCII one.
  const isInAscii = /^[\0-\x7f]*$/.test(folded);
  const found = searches.map((column) => {
    const inAscii = isInAscii ? `strpos(${lower(column)}, $${place}) > 0` : 'false';
    return `(${column} IS NOT NULL AND CASE WHEN ${isAscii(column)} THEN ${inAscii} ELSE true END)`;
  });
  return { sql: `(${found.join(' OR ')})`, args: isInAscii ? [folded] : [] };
}

/** The maximum growth of the number of records from one query of a search to the next, and the maximum number. */
const maxGrowth = 8;
const recordsPerSearch = 2_000;
/**
 * How many records a search examines in the order of the list. If these do not fill a page, it scans all records in storage order and sorts
 * the matches, which takes a tenth of the time.
 */
const searchedInOrder = 10_000;

/** How long a list is read by default, in milliseconds. */
const defaultDurationMs = 100;

/** The ids of a page, and where the next page starts. */
type ListedIds = Pick<Listed<object>, 'last' | 'isLate'> & { readonly ids: readonly bigint[] };

/**
 * Lists records as `Store.list` does, and returns their ids. The caller reads the records again, as durably as for a replay, on the node
 * that has them. Sizes are measured without reading texts.
 */
export async function listIds(
  run: Query,
  table: TableParts,
  query: ListQuery,
  { matches, bytes: maxBytes, durationMs = defaultDurationMs }: ListLimits,
): Promise<ListedIds> {
  const { by } = partsOfOrder(query.order);
  if (!['id', 'time', 'untimed'].includes(by))
    return listByText(run, table, by, query, { matches, bytes: maxBytes });
  const { by: orderSql, bySorting, condition, after: afterSql } = describeOrder(query.order);
  const { indexedSql: matchesAll, args } = matchesSql(table, query);
  const search = query.q === undefined ? undefined : createSearch(query.q);
  const startedAt = performance.now();
  const mayHave = search && mayHaveSql(table, search.folded, args.length + 1);
  const texts = search ? `, ${table.searches.join(', ')}` : '';
  const ids: bigint[] = [];
  let [last, bytes]: [ListPosition | undefined, number] = [undefined, 0];
  let { after } = query;
  for (let size = matches + 1; ; size = Math.min(size * maxGrowth, Math.max(recordsPerSearch, matches + 1))) {
    // Ids are numbers, so they can be part of the statement.
    const isAfter = after === undefined ? [] : afterSql(`${after.id}`, `${after.addedAt}`);
    const inOrder = [condition, matchesAll, isAfter].flat().join(' AND ');
    const read = (from: string, sort: string) =>
      run({
        sql: `SELECT id, added_at, ${table.bytes}${texts} FROM ${from} ORDER BY ${sort} LIMIT ${size}`,
        args: [...args, ...(mayHave?.args ?? [])],
      });
    let rows: Awaited<ReturnType<Query>>;
    if (mayHave === undefined) rows = await read(`${table.name} WHERE ${inOrder}`, orderSql);
    else {
      const next = `SELECT * FROM ${table.name} WHERE ${inOrder} ORDER BY ${orderSql} LIMIT ${searchedInOrder}`;
      rows = await read(`(${next}) AS next WHERE ${mayHave.sql}`, orderSql);
      if (rows.length < size)
        rows = await read(`${table.name} WHERE ${inOrder} AND ${mayHave.sql}`, bySorting);
    }
    // Starts after the statement, so that its rows get the full time, no matter how long the statement took.
    const endsAt = performance.now() + durationMs;
    for (const [idText, time, size, ...texts] of rows) {
      const id = BigInt(String(idText));
      const isFound = search === undefined || (await search.matchesAny(texts));
      if (isFound) {
        bytes += Number(size);
        if (ids.length > 0 && (ids.length === matches || bytes > maxBytes)) return { ids, last };
        ids.push(id);
      }
      last = { id, ...(time !== null && { addedAt: Number(time) }) };
      if (search !== undefined && performance.now() > endsAt) return { ids, last, isLate: true };
    }
    if (rows.length < size) return { ids, last: undefined };
    if (search !== undefined && performance.now() > startedAt + durationMs)
      return { ids, last, isLate: true };
    after = last;
  }
}

/**
 * Lists records by the beginning of a text. PostgreSQL sorts ASCII texts, and this process sorts all others, so that the order does not
 * depend on the collations of the server.
 */
async function listByText(
  run: Query,
  table: TableParts,
  field: string,
  query: ListQuery,
  { matches, bytes: maxBytes }: Omit<ListLimits, 'durationMs'>,
): Promise<ListedIds> {
  const { isDescending } = partsOfOrder(query.order);
  const { after } = query;
  const column = `coalesce(${columnOf(table, field)}, '')`;
  const { indexedSql: matchesAll, args } = matchesSql(table, query);
  const folded = query.q === undefined ? undefined : foldText(query.q);
  const mayHave = folded === undefined ? undefined : mayHaveSql(table, folded, args.length + 1);
  const where = [matchesAll, ...(mayHave ? [mayHave.sql] : [])].join(' AND ');
  const all = [...args, ...(mayHave?.args ?? [])];
  const key = `left(${lower(column)}, ${sortedCharacters}) COLLATE "C"`;
  const [direction, beyond] = isDescending ? [' DESC', '<'] : ['', '>'];
  const texts = folded === undefined ? '' : `, ${table.searches.join(', ')}`;
  const select = `SELECT id, ${table.bytes}`;
  const isAfter =
    after === undefined
      ? 'true'
      : `(${key}, id) ${beyond} ($${all.length + 1}::text COLLATE "C", ${after.id})`;
  const [ascii, others] = await Promise.all([
    run({
      sql: `${select}, ${key}${texts} FROM ${table.name} WHERE ${where} AND ${isAscii(column)} AND ${isAfter}
        ORDER BY ${key}${direction}, id${direction} LIMIT ${matches + 1}`,
      args: after === undefined ? all : [...all, after.key ?? ''],
    }),
    run({
      sql: `${select}, left(${column}, ${2 * sortedCharacters})${texts} FROM ${table.name} WHERE ${where} AND NOT (${isAscii(column)})`,
      args: all,
    }),
  ]);
  const search = folded === undefined ? undefined : createSearch(folded);
  const found: { id: bigint; bytes: number; key: string }[] = [];
  for (const [id, bytes, text, ...searched] of [...ascii, ...others]) {
    if (search !== undefined && !(await search.matchesAny(searched))) continue;
    found.push({ id: BigInt(String(id)), bytes: Number(bytes), key: sortKeyOf(String(text)) });
  }
  const compare = (a: SortPosition, b: SortPosition) =>
    comparePositions(isDescending ? b : a, isDescending ? a : b);
  const start = after && { id: after.id, key: after.key ?? '' };
  const sorted = found.filter((each) => start === undefined || compare(each, start) > 0).sort(compare);
  let total = 0;
  const page = sorted.filter(({ bytes }, index) => {
    total += bytes;
    return index < matches && (index === 0 || total <= maxBytes);
  });
  const end = page.length < sorted.length ? page.at(-1) : undefined;
  return { ids: page.map(({ id }) => id), last: end && { id: end.id, key: end.key } };
}

interface SortPosition {
  readonly id: bigint;
  readonly key: string;
}

/** Compares by key, as UTF-8 bytes, then by id. */
function comparePositions(a: SortPosition, b: SortPosition): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Up to this many records are counted, more are estimated: PostgreSQL takes longer to count a million than to list any page. */
const maxCounted = 100_000;

/** The sample size for estimating the matches of a search, and the maximum number of candidates that are counted exactly. */
const sampled = 10_000;

/** Counts records as `Store.countAll` does. */
export async function countAll(run: Query, table: TableParts, filter: ListFilter): Promise<Total> {
  const matches = matchesSql(table, filter);
  return filter.q === undefined ? countRows(run, table, matches) : countFound(run, table, filter.q, matches);
}

/** Counts the rows that PostgreSQL finds, up to a limit. */
async function countRows(
  run: Query,
  { name }: TableParts,
  { sql, indexedSql, args }: Matches,
): Promise<Total> {
  const [[counted] = []] = await run({
    sql: `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${indexedSql} LIMIT ${maxCounted + 1}) AS counted`,
    args,
  });
  const isEstimate = Number(counted) > maxCounted;
  return {
    count: isEstimate
      ? await estimate(run, { sql: `SELECT 1 FROM ${name} WHERE ${sql}`, args })
      : Number(counted),
    isEstimate,
  };
}

/** Counts the matches of a search: exactly if there are few candidates, otherwise from a sample. */
async function countFound(run: Query, table: TableParts, q: string, matches: Matches): Promise<Total> {
  const { indexedSql: sql, args } = matches;
  const search = createSearch(q);
  const mayHave = mayHaveSql(table, search.folded, args.length + 1);
  const select = `SELECT ${table.searches.join(', ')} FROM ${table.name}`;
  async function countIn(rows: readonly (readonly unknown[])[]): Promise<number> {
    let found = 0;
    for (const texts of rows) if (await search.matchesAny(texts)) found++;
    return found;
  }
  const rows = await run({
    sql: `${select} WHERE ${sql} AND ${mayHave.sql} LIMIT ${sampled + 1}`,
    args: [...args, ...mayHave.args],
  });
  if (rows.length <= sampled) return { count: await countIn(rows), isEstimate: false };
  const { count } = await countRows(run, table, matches);
  const percent = Math.min(100, (100 * sampled) / count);
  const sample = await run({ sql: `${select} TABLESAMPLE SYSTEM (${percent}) WHERE ${sql}`, args });
  return {
    count: Math.round((count * (await countIn(sample))) / Math.max(sample.length, 1)),
    isEstimate: true,
  };
}

/** The number of rows that PostgreSQL estimates for a statement. */
async function estimate(run: Query, { sql, args }: Statement): Promise<number> {
  const [[plan] = []] = await run({ sql: `EXPLAIN (FORMAT JSON) ${sql}`, ...(args && { args }) });
  const [{ Plan: root }] = JSON.parse(String(plan));
  return Math.max(maxCounted + 1, Number(root['Plan Rows']));
}

/**
 * Counts values as `Store.countValues` does.
 *
 * @param isDistributed whether the records are on several nodes; then each node must confirm that its records are durable
 */
export async function countValues(
  run: Query,
  table: TableParts,
  counted: { field: string; after: string | undefined; maxValues: number; isDistributed: boolean },
): Promise<CountedValues> {
  const { field, after, maxValues, isDistributed } = counted;
  const column = columnOf(table, field);
  const ordered = `${column} COLLATE "C"`;
  // A literal, because a statement with arguments cannot be sent in one message with others. Every byte is escaped, so no text can end the
  // literal.
  const start = `E'${Buffer.from(after ?? '')
    .toString('hex')
    .replaceAll(/../g, '\\x$&')}'`;
  const beyond = after === undefined ? '' : `AND ${ordered} > ${start}`;
  // PostgreSQL does not use parallel workers for a statement that writes to the log. On one server, the transaction writes afterward.
  const rows = await run({
    sql: `
      SELECT ${column}, count(*)${isDistributed ? `, bool_and(${confirmPerRowSql})` : ''}
      FROM ${table.name} WHERE ${column} IS NOT NULL AND NOT deleted ${beyond}
      GROUP BY ${column} ORDER BY ${ordered} LIMIT ${maxValues + 1}${isDistributed ? '' : `; ${confirmDurableSql}`}`,
  });
  const counts = rows.map(([value, count]) => [String(value), Number(count)] as const);
  return { counts: counts.slice(0, maxValues), hasMore: rows.length > maxValues };
}

/** How long one turn of the event loop may search texts, in milliseconds, so that other requests are served. */
const turnMs = 3;

/** Searches texts in short turns of the event loop. */
function createSearch(q: string) {
  const folded = foldText(q);
  let turnEndsAt = performance.now() + turnMs;
  return {
    folded,
    async matchesAny(texts: readonly unknown[]): Promise<boolean> {
      for (const text of texts) {
        if (typeof text !== 'string') continue;
        const search = searchText(text, folded);
        let step = search.next();
        while (!step.done) {
          if (performance.now() > turnEndsAt) {
            await setImmediate();
            turnEndsAt = performance.now() + turnMs;
          }
          step = search.next();
        }
        if (step.value) return true;
      }
      return false;
    },
  };
}

/** Maximum records of a page from one statement. The plan assumes this limit, and PostgreSQL reads only as far as needed. */
const longestPage = 1_000;
/** The most bytes that one of them has, so that a page is smaller than a reply may be. */
const shortRecord = 2_000;

/**
 * Creates a function that lists a page of all records on one server, with one prepared statement. It returns `undefined` if the list has a
 * filter, or the page has too many records, a tombstone, or a long record. One extra row shows whether there is a next page.
 */
export function createListPage<Fields>(
  query: Query,
  { name, fields, columns, bytes, toRecord }: Table<Fields>,
) {
  const long = new Set(fields.filter(isLong).map(({ column }) => column));
  // PostgreSQL does not read a text for its length.
  const selected = columns.map((column) =>
    long.has(column) ? `CASE WHEN ${bytes} <= ${shortRecord} THEN ${column} END` : column,
  );

  function compose({ order, after }: ListQuery, rows: number): Statement {
    const { condition, after: isAfter, by } = describeOrder(order);
    const position = [after?.id, partsOfOrder(order).by === 'time' ? after?.addedAt : undefined];
    return {
      sql: `
        SELECT * FROM (
          SELECT ${selected.join(', ')}, ${bytes} > ${shortRecord} FROM ${name}
          WHERE ${condition}${after === undefined ? '' : ` AND ${isAfter('$2', '$3')}`} AND ${confirmOnceSql} IS NOT FALSE
          ORDER BY ${by} LIMIT ${longestPage + 1}
        ) AS page LIMIT $1`,
      args: [rows, ...position.filter((value) => value !== undefined)],
      name: `list_${order.replace('-', 'down_')}${after === undefined ? '' : '_after'}_${name}`,
    };
  }

  return async function listPage(
    list: ListQuery,
    { matches: length, bytes: maxBytes }: ListLimits,
  ): Promise<Listed<Fields> | undefined> {
    const isByText = !['id', 'time', 'untimed'].includes(partsOfOrder(list.order).by);
    if (isByText || isFiltered(list) || length > longestPage) return undefined;
    if (length > maxBytes / shortRecord) return undefined;
    const rows = await query(compose(list, length + 1));
    if (rows.some((row) => row[columns.length] === true)) return undefined;
    const records = rows.map(toRecord);
    if (records.some(isTombstone)) return undefined;
    const page = withoutTombstones(records.slice(0, length));
    const end = page.length < records.length ? page.at(-1) : undefined;
    return { records: page, last: end && { id: end.id, addedAt: end.addedAt ?? undefined } };
  };
}
