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
import { columnOf, columnTypes, indexConditionSql, isLong, maxIndexedBytes, type Table } from '../table.js';
import { confirmDurableSql, confirmOnceSql, confirmPerRowSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

type TableParts = Pick<Table, 'name' | 'fields' | 'columns' | 'searches' | 'bytes'>;

/** Tests whether a text is ASCII. PostgreSQL folds ASCII letters to lowercase the same way on every server, but not other letters. */
const isAsciiSql = (column: string) => `octet_length(${column}) = char_length(${column})`;

const lowerSql = (column: string) => `lower(${column} COLLATE "C")`;

/** The SQL for a list order. */
interface OrderSql {
  /** The terms of `ORDER BY`. */
  readonly orderBy: string;
  /** The same terms, written so that PostgreSQL sorts the rows instead of using an index. */
  readonly orderByWithoutIndex: string;
  /** The condition for rows that this order lists. */
  readonly listedCondition: string;
  /** Returns the condition for rows after a position. */
  afterCondition(id: string, addedAt?: string): string;
}

/** Returns the SQL for an order that an index supports. */
function orderSqlOf(order: string): OrderSql {
  const { by, isDescending } = partsOfOrder(order);
  const [direction, comparison] = isDescending ? [' DESC', '<'] : ['', '>'];
  if (by !== 'time')
    return {
      orderBy: `id${direction}`,
      orderByWithoutIndex: `id + 0${direction}`,
      listedCondition: by === 'id' ? 'true' : 'added_at IS NULL',
      afterCondition: (id) => `id ${comparison} ${id}`,
    };
  const byTime = (time: string) =>
    isDescending ? `${time} DESC NULLS LAST, id DESC` : `${time} NULLS FIRST, id`;
  return {
    orderBy: byTime('added_at'),
    orderByWithoutIndex: byTime('added_at + 0'),
    listedCondition: 'added_at IS NOT NULL',
    afterCondition: (id, addedAt) => `(added_at, id) ${comparison} (${addedAt}, ${id})`,
  };
}

interface Condition {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** The condition for a list's filters, without its search. */
interface FilterCondition extends Condition {
  /**
   * The same condition with terms that let PostgreSQL use the indexes on text columns. These terms lower PostgreSQL's estimate of the row
   * count, so estimates use `sql`.
   */
  readonly indexedSql: string;
}

function filterSql(
  { fields }: TableParts,
  { equal = {}, addedFrom, addedBefore }: ListFilter,
): FilterCondition {
  const args: unknown[] = [];
  const indexConditions: string[] = [];
  const equalities = fields.flatMap(({ field, column, kind }) => {
    const values = equal[field];
    if (values === undefined) return [];
    const present = values.filter((value) => value !== null);
    const absent = values.length > present.length ? [`${column} IS NULL`] : [];
    if (present.length > 0) args.push(present.length === 1 ? present[0] : present);
    const type = columnTypes.postgresql[kind];
    if (type === 'TEXT' && present.every((value) => Buffer.byteLength(String(value)) <= maxIndexedBytes))
      indexConditions.push(indexConditionSql(column));
    const accepted = present.length === 1 ? `$${args.length}::${type}` : `ANY($${args.length}::${type}[])`;
    return `(${[...(present.length === 0 ? [] : [`${column} = ${accepted}`]), ...absent].join(' OR ')})`;
  });
  // The times are numbers, so it is safe to insert them into the statement.
  const range = [
    ...(addedFrom === undefined ? [] : [`added_at >= ${addedFrom}`]),
    ...(addedBefore === undefined ? [] : [`added_at < ${addedBefore}`]),
  ];
  const conditions = [...equalities, ...range, 'NOT deleted'];
  return {
    sql: conditions.join(' AND '),
    indexedSql: [...conditions, ...indexConditions].join(' AND '),
    args,
  };
}

/**
 * Returns the condition for records that can match a search. PostgreSQL searches ASCII texts. Every other text is a candidate, which this
 * process searches.
 *
 * @param parameterIndex the index of the statement parameter that passes the search text
 */
function candidateSql({ searches }: TableParts, folded: string, parameterIndex: number): Condition {
  // An ASCII text never contains a non-ASCII search text.
  const isAsciiSearch = /^[\0-\x7f]*$/.test(folded);
  const candidates = searches.map((column) => {
    const containsText = isAsciiSearch ? `strpos(${lowerSql(column)}, $${parameterIndex}) > 0` : 'false';
    return `(${column} IS NOT NULL AND CASE WHEN ${isAsciiSql(column)} THEN ${containsText} ELSE true END)`;
  });
  return { sql: `(${candidates.join(' OR ')})`, args: isAsciiSearch ? [folded] : [] };
}

/** The maximum factor by which the row limit grows from one query of a search to the next. */
const maxGrowth = 8;
/** The maximum row limit for one query of a search. A page that needs more rows sets its own limit. */
const recordsPerSearch = 2_000;
/**
 * How many records a search examines in list order. If they do not fill a page, the search scans all records in storage order and sorts the
 * matches, which takes a tenth of the time.
 */
const searchedInOrder = 10_000;

/** The default time for reading a list, in milliseconds. */
const defaultDurationMs = 100;

/** The IDs on a page, and the position where the next page starts. */
type ListedIds = Pick<Listed<object>, 'last' | 'isLate'> & { readonly ids: readonly bigint[] };

/**
 * Lists records as `Store.list` does, but returns only their IDs. The caller then reads the records from the nodes that store them, and
 * confirms that they are durable. This function measures the size of records without reading their texts.
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
  const { orderBy, orderByWithoutIndex, listedCondition, afterCondition } = orderSqlOf(query.order);
  const { indexedSql: filter, args } = filterSql(table, query);
  const search = query.q === undefined ? undefined : createSearch(query.q);
  const startedAt = performance.now();
  const candidates = search && candidateSql(table, search.folded, args.length + 1);
  const searchedColumns = search ? `, ${table.searches.join(', ')}` : '';
  const ids: bigint[] = [];
  let [last, bytes]: [ListPosition | undefined, number] = [undefined, 0];
  let { after } = query;
  const maxRows = Math.max(recordsPerSearch, matches + 1);
  for (let rowLimit = matches + 1; ; rowLimit = Math.min(rowLimit * maxGrowth, maxRows)) {
    // The IDs and times are numbers, so it is safe to insert them into the statement.
    const afterLast = after === undefined ? [] : afterCondition(`${after.id}`, `${after.addedAt}`);
    const remaining = [listedCondition, filter, afterLast].flat().join(' AND ');
    const read = (from: string, sort: string) =>
      run({
        sql: `SELECT id, added_at, ${table.bytes}${searchedColumns} FROM ${from} ORDER BY ${sort} LIMIT ${rowLimit}`,
        args: [...args, ...(candidates?.args ?? [])],
      });
    let rows: Awaited<ReturnType<Query>>;
    if (candidates === undefined) rows = await read(`${table.name} WHERE ${remaining}`, orderBy);
    else {
      const next = `SELECT * FROM ${table.name} WHERE ${remaining} ORDER BY ${orderBy} LIMIT ${searchedInOrder}`;
      rows = await read(`(${next}) AS next WHERE ${candidates.sql}`, orderBy);
      if (rows.length < rowLimit)
        rows = await read(`${table.name} WHERE ${remaining} AND ${candidates.sql}`, orderByWithoutIndex);
    }
    // The time starts after the statement, so that a slow statement does not shorten the search of its rows.
    const endsAt = performance.now() + durationMs;
    for (const [idText, time, recordBytes, ...texts] of rows) {
      const id = BigInt(String(idText));
      const isFound = search === undefined || (await search.matchesAny(texts));
      if (isFound) {
        bytes += Number(recordBytes);
        if (ids.length > 0 && (ids.length === matches || bytes > maxBytes)) return { ids, last };
        ids.push(id);
      }
      last = { id, ...(time !== null && { addedAt: Number(time) }) };
      if (search !== undefined && performance.now() > endsAt) return { ids, last, isLate: true };
    }
    if (rows.length < rowLimit) return { ids, last: undefined };
    if (search !== undefined && performance.now() > startedAt + durationMs)
      return { ids, last, isLate: true };
    after = last;
  }
}

/**
 * Lists records in the order of a text field. PostgreSQL sorts ASCII texts, and this process sorts all other texts, so that the order does
 * not depend on the server's collations.
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
  const { indexedSql: filter, args: filterArgs } = filterSql(table, query);
  const folded = query.q === undefined ? undefined : foldText(query.q);
  const candidates = folded === undefined ? undefined : candidateSql(table, folded, filterArgs.length + 1);
  const where = [filter, ...(candidates ? [candidates.sql] : [])].join(' AND ');
  const args = [...filterArgs, ...(candidates?.args ?? [])];
  const sortKey = `left(${lowerSql(column)}, ${sortedCharacters}) COLLATE "C"`;
  const [direction, comparison] = isDescending ? [' DESC', '<'] : ['', '>'];
  const searchedColumns = folded === undefined ? '' : `, ${table.searches.join(', ')}`;
  const select = `SELECT id, ${table.bytes}`;
  const afterCondition =
    after === undefined
      ? 'true'
      : `(${sortKey}, id) ${comparison} ($${args.length + 1}::text COLLATE "C", ${after.id})`;
  const [asciiRows, otherRows] = await Promise.all([
    run({
      sql: `${select}, ${sortKey}${searchedColumns} FROM ${table.name} WHERE ${where} AND ${isAsciiSql(column)} AND ${afterCondition}
        ORDER BY ${sortKey}${direction}, id${direction} LIMIT ${matches + 1}`,
      args: after === undefined ? args : [...args, after.key ?? ''],
    }),
    run({
      sql: `${select}, left(${column}, ${2 * sortedCharacters})${searchedColumns} FROM ${table.name} WHERE ${where} AND NOT (${isAsciiSql(column)})`,
      args,
    }),
  ]);
  const search = folded === undefined ? undefined : createSearch(folded);
  const found: { id: bigint; bytes: number; key: string }[] = [];
  for (const [id, bytes, text, ...searchedTexts] of [...asciiRows, ...otherRows]) {
    if (search !== undefined && !(await search.matchesAny(searchedTexts))) continue;
    found.push({ id: BigInt(String(id)), bytes: Number(bytes), key: sortKeyOf(String(text)) });
  }
  const compare = (a: SortPosition, b: SortPosition) =>
    comparePositions(isDescending ? b : a, isDescending ? a : b);
  const start = after && { id: after.id, key: after.key ?? '' };
  const sorted = found.filter((record) => start === undefined || compare(record, start) > 0).sort(compare);
  let totalBytes = 0;
  const page = sorted.filter(({ bytes }, index) => {
    totalBytes += bytes;
    return index < matches && (index === 0 || totalBytes <= maxBytes);
  });
  const end = page.length < sorted.length ? page.at(-1) : undefined;
  return { ids: page.map(({ id }) => id), last: end && { id: end.id, key: end.key } };
}

interface SortPosition {
  readonly id: bigint;
  readonly key: string;
}

/** Compares the keys by their UTF-8 bytes, then the IDs. */
function comparePositions(a: SortPosition, b: SortPosition): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** The most records that are counted exactly. Larger totals are estimated, because counting a million records is slower than any page. */
const maxCounted = 100_000;

/** The most candidates that a search examines for an exact count. With more candidates, the search examines a sample of about this size. */
const sampleSize = 10_000;

/** Counts records as `Store.countAll` does. */
export async function countAll(run: Query, table: TableParts, listFilter: ListFilter): Promise<Total> {
  const filter = filterSql(table, listFilter);
  return listFilter.q === undefined
    ? countRows(run, table, filter)
    : countFound(run, table, listFilter.q, filter);
}

/** Counts the rows that match the filters, or estimates their number if it exceeds `maxCounted`. */
async function countRows(
  run: Query,
  { name }: TableParts,
  { sql, indexedSql, args }: FilterCondition,
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

/** Counts the records that a search finds, or estimates their number from a sample if there are many candidates. */
async function countFound(run: Query, table: TableParts, q: string, filter: FilterCondition): Promise<Total> {
  const { indexedSql, args } = filter;
  const search = createSearch(q);
  const candidates = candidateSql(table, search.folded, args.length + 1);
  const select = `SELECT ${table.searches.join(', ')} FROM ${table.name}`;
  async function countMatches(rows: readonly (readonly unknown[])[]): Promise<number> {
    let found = 0;
    for (const texts of rows) if (await search.matchesAny(texts)) found++;
    return found;
  }
  const rows = await run({
    sql: `${select} WHERE ${indexedSql} AND ${candidates.sql} LIMIT ${sampleSize + 1}`,
    args: [...args, ...candidates.args],
  });
  if (rows.length <= sampleSize) return { count: await countMatches(rows), isEstimate: false };
  const { count } = await countRows(run, table, filter);
  const percent = Math.min(100, (100 * sampleSize) / count);
  const sample = await run({ sql: `${select} TABLESAMPLE SYSTEM (${percent}) WHERE ${indexedSql}`, args });
  return {
    count: Math.round((count * (await countMatches(sample))) / Math.max(sample.length, 1)),
    isEstimate: true,
  };
}

/** Returns PostgreSQL's estimate of how many rows a statement returns, or `maxCounted + 1` if the estimate is lower. */
async function estimate(run: Query, { sql, args }: Statement): Promise<number> {
  const [[plan] = []] = await run({ sql: `EXPLAIN (FORMAT JSON) ${sql}`, ...(args && { args }) });
  const [{ Plan: root }] = JSON.parse(String(plan));
  return Math.max(maxCounted + 1, Number(root['Plan Rows']));
}

/**
 * Counts values as `Store.countValues` does.
 *
 * @param counted.isDistributed whether the records are distributed over several nodes, so that each node must confirm the durability of its
 * records
 */
export async function countValues(
  run: Query,
  table: TableParts,
  counted: { field: string; after: string | undefined; maxValues: number; isDistributed: boolean },
): Promise<CountedValues> {
  const { field, after, maxValues, isDistributed } = counted;
  const column = columnOf(table, field);
  const sortKey = `${column} COLLATE "C"`;
  // PostgreSQL accepts no arguments in a message with several statements, so the value is a literal. Every byte is escaped, so the value
  // cannot end the literal.
  const start = `E'${Buffer.from(after ?? '')
    .toString('hex')
    .replaceAll(/../g, '\\x$&')}'`;
  const afterCondition = after === undefined ? '' : `AND ${sortKey} > ${start}`;
  // PostgreSQL uses no parallel workers for a statement that writes to the write-ahead log. On one server, a second statement writes to it.
  const rows = await run({
    sql: `
      SELECT ${column}, count(*)${isDistributed ? `, bool_and(${confirmPerRowSql})` : ''}
      FROM ${table.name} WHERE ${column} IS NOT NULL AND NOT deleted ${afterCondition}
      GROUP BY ${column} ORDER BY ${sortKey} LIMIT ${maxValues + 1}${isDistributed ? '' : `; ${confirmDurableSql}`}`,
  });
  const counts = rows.map(([value, count]) => [String(value), Number(count)] as const);
  return { counts: counts.slice(0, maxValues), hasMore: rows.length > maxValues };
}

/** How long a search can block the event loop before it lets other requests run, in milliseconds. */
const turnMs = 3;

/** Creates a search that regularly yields to the event loop. */
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

/** The most records on a page that one statement lists. The query plan assumes this limit, but PostgreSQL stops after the requested rows. */
const longestPage = 1_000;
/** The size limit for a record on such a page, in bytes. It keeps the page smaller than the largest reply. */
const shortRecord = 2_000;

/**
 * Creates a function that lists a page of all records on one server, with one prepared statement. The function returns `undefined` if the
 * list has a filter or a text order, or the page is too long, or a listed record is a tombstone or too large. The statement reads one extra
 * row to find out whether there is a next page.
 */
export function createListPage<Fields>(
  query: Query,
  { name, fields, columns, bytes, toRecord }: Table<Fields>,
) {
  const longColumns = new Set(fields.filter(isLong).map(({ column }) => column));
  // PostgreSQL knows the length of a long text without reading the text.
  const selected = columns.map((column) =>
    longColumns.has(column) ? `CASE WHEN ${bytes} <= ${shortRecord} THEN ${column} END` : column,
  );

  function compose({ order, after }: ListQuery, rows: number): Statement {
    const { listedCondition, afterCondition, orderBy } = orderSqlOf(order);
    const position = [after?.id, partsOfOrder(order).by === 'time' ? after?.addedAt : undefined];
    return {
      sql: `
        SELECT * FROM (
          SELECT ${selected.join(', ')}, ${bytes} > ${shortRecord} FROM ${name}
          WHERE ${listedCondition}${after === undefined ? '' : ` AND ${afterCondition('$2', '$3')}`} AND ${confirmOnceSql} IS NOT FALSE
          ORDER BY ${orderBy} LIMIT ${longestPage + 1}
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
