// @ts-check
// The program of the thread that reads lists. It is JavaScript because the sources and the build load it by the same path.
import { parentPort, workerData } from 'node:worker_threads';
import { foldText, searchText } from '@plant-store/contract/fold-text';
import { partsOfOrder, sortedCharacters, sortKeyOf } from '@plant-store/records/order';
import { requireFiles } from './file-identity.js';
import { openFile } from './open-connection.js';

/** @typedef {import('@plant-store/records').ListLimits} ListLimits */
/** @typedef {import('better-sqlite3').Database} Connection */

/**
 * @typedef {import('./list-thread.js').TableParts} TableParts
 * @typedef {import('./list-thread.js').RecordQuery & { table: TableParts }} TableQuery a query of a table
 */

/** @typedef {import('./list-thread.js').ReadRequest} ReadRequest */

/** @type {{ tables: readonly TableParts[], seqColumn: string, generationSql: string }} */
const { tables, seqColumn, generationSql } = workerData;
const tablesByName = new Map(tables.map((table) => [table.name, table]));

/** The default time limit of a list, in milliseconds. */
const defaultDurationMs = 100;
/** After how many rows without a match the clock is checked. */
const rowsPerClockCheck = 100;
/** After how many bytes of searched text the clock is checked. */
const bytesPerClockCheck = 65_536;
/**
 * After how many rows without a match a search by time starts to scan all rows by ID instead, in storage order, which takes a fifth of the
 * time.
 */
const searchedInOrder = 10_000;
/** The size of the largest table that is scanned, in rows, so that the scan ends in time. */
const maxSweptRows = 3_000_000;

let database = /** @type {import('better-sqlite3').Database | undefined} */ (undefined);
/** The prepared statements of the connection, by SQL. The SQL depends on the parts of a query, but not on values. */
const statements = /** @type {Map<string, import('better-sqlite3').Statement>} */ (new Map());

parentPort?.on('message', (/** @type {ReadRequest | null} */ request) => {
  if (request === null) {
    database?.close();
    parentPort?.close();
    return;
  }
  try {
    database ??= open();
    parentPort?.postMessage({ read: read(database, request) });
  } catch (error) {
    // A new connection may work later: the disk may have been full, or too many files open.
    database?.close();
    database = undefined;
    statements.clear();
    const { message, code } = /** @type {Error & { code?: string }} */ (error);
    parentPort?.postMessage({ error: { message, code } });
  }
});

function read(/** @type {Connection} */ connection, /** @type {ReadRequest} */ request) {
  const table = tablesByName.get(request.table);
  if (table === undefined) throw new Error(`There is no table ${request.table}`);
  const startedAt = performance.now();
  const result =
    'query' in request
      ? list(connection, { ...request.query, table }, request.limits)
      : 'filter' in request
        ? countAll(connection, { ...request.filter, order: 'id', table })
        : countValues(connection, table, request.counted);
  return { ...result, readMs: performance.now() - startedAt };
}

function open() {
  /** @type {import('./file-identity.js').DatabaseFiles} */
  const files = workerData.files;
  const checkFiles = () => requireFiles(files);
  const connection = openFile(files.database.path, 'PRAGMA cache_size = -8000', checkFiles, {
    readonly: true,
  });
  // SQLite folds only ASCII letters to lowercase.
  connection.function('has_text', hasText);
  connection.function('sort_key', (/** @type {string | null} */ text) => sortKeyOf(text ?? ''));
  connection.function('is_late', isLate);
  return connection;
}

/** The deadline of the current list, how many more rows it may examine, and how much was read since the last clock check. */
const clock = { deadline: 0, isLate: 0, rowsLeft: 0, rows: 0, bytes: 0 };

function startClock(/** @type {number} */ durationMs, rowsLeft = Number.POSITIVE_INFINITY) {
  Object.assign(clock, { deadline: performance.now() + durationMs, isLate: 0, rowsLeft, rows: 0, bytes: 0 });
}

/** Returns whether a list must end because of a limit. Called for each row without a match. */
function isLate() {
  clock.rows++;
  if (clock.rows >= rowsPerClockCheck || clock.bytes >= bytesPerClockCheck) {
    clock.rowsLeft -= clock.rows;
    clock.rows = 0;
    clock.bytes = 0;
    if (clock.rowsLeft <= 0 || performance.now() > clock.deadline) clock.isLate = 1;
  }
  return clock.isLate;
}

function hasText(/** @type {string | null} */ text, /** @type {string} */ folded) {
  if (text === null) return 0;
  clock.bytes += text.length;
  const search = searchText(text, folded);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value ? 1 : 0;
}

/** Returns SQL for whether a text is ASCII. SQLite itself folds ASCII text in a fraction of the time. */
const isAscii = (/** @type {string} */ column) => `octet_length(${column}) = length(${column})`;

const sortKeySql = (/** @type {string} */ column) =>
  `iif(${isAscii(column)}, substr(lower(${column}), 1, ${sortedCharacters}), sort_key(${column}))`;

/** Returns SQL for whether a column contains the folded text `:q`. */
function searchSql(/** @type {string} */ column, /** @type {string} */ folded) {
  // An ASCII text never contains a non-ASCII one.
  const asciiSearch = /^[\0-\x7f]*$/.test(folded) ? `instr(lower(${column}), :q) > 0` : 'false';
  return `iif(${isAscii(column)}, ${asciiSearch}, has_text(${column}, :q))`;
}

/** Describes a list order: the `ORDER BY` terms, the condition for its rows, the condition for rows after a position, and the sort key. */
function describeOrder(/** @type {TableQuery} */ { table, order }) {
  if (order === 'changes') {
    return {
      by: seqColumn,
      condition: `${seqColumn} IS NOT NULL`,
      after: `${seqColumn} > :number`,
      key: `CAST(${seqColumn} AS REAL)`,
    };
  }
  const { by, isDescending } = partsOfOrder(order);
  const [direction, beyond] = isDescending ? [' DESC', '<'] : ['', '>'];
  if (by === 'id' || by === 'untimed') {
    const condition = by === 'id' ? 'true' : 'added_at IS NULL';
    return { by: `id${direction}`, condition, after: `id ${beyond} :id`, key: 'NULL' };
  }
  const key = by === 'time' ? 'added_at' : sortKeySql(columnOf(table, by));
  const value = by === 'time' ? ':addedAt' : ':key';
  return {
    by: `${key}${direction}, id${direction}`,
    condition: by === 'time' ? 'added_at IS NOT NULL' : 'true',
    after: `(${key}, id) ${beyond} (${value}, :id)`,
    key: by === 'time' ? 'NULL' : key,
  };
}

/** Returns the parts of the SQL for a query: conditions that an index can serve, and whether a row matches the search. */
function describe(/** @type {TableQuery} */ query) {
  const { table, order, after, equal = {}, q, addedFrom, addedBefore, tombstones } = query;
  const described = describeOrder(query);
  const isByTime = order === 'newest' || order === 'oldest';
  const range = [
    addedFrom === undefined ? [] : 'added_at >= :addedFrom',
    // After a position, the order has a narrower bound. The `+` makes SQLite use the index for that one.
    addedBefore === undefined ? [] : `${isByTime && after !== undefined ? '+' : ''}added_at < :addedBefore`,
  ].flat();
  const compared = Object.entries(equal).flatMap(([field, values]) =>
    values === undefined ? [] : [{ field, values, column: columnOf(table, field) }],
  );
  const equality = compared.map(({ field, values, column }) => {
    const placeholders = values.flatMap((value, at) => (value === null ? [] : `:is_${field}_${at}`));
    const isAmong =
      placeholders.length === 1 ? `${column} = ${placeholders[0]}` : `${column} IN (${placeholders})`;
    const isAbsent = values.includes(null) ? `${column} IS NULL` : '';
    return placeholders.length === 0 ? isAbsent : isAbsent === '' ? isAmong : `(${isAmong} OR ${isAbsent})`;
  });
  const folded = q === undefined ? '' : foldText(q);
  const found = table.searches.map((column) => searchSql(column, folded));
  const bounds = [
    described.condition,
    after === undefined ? [] : described.after,
    equality,
    range,
    tombstones ? [] : 'NOT deleted',
  ].flat();
  return {
    ...described,
    bounds: bounds.join(' AND '),
    isFound: q === undefined ? 'true' : `(${found.join(' OR ')})`,
    values: {
      ...after,
      ...Object.fromEntries(
        compared.flatMap(({ field, values }) => values.map((value, at) => [`is_${field}_${at}`, value])),
      ),
      q: folded,
      addedFrom,
      addedBefore,
    },
  };
}

function columnOf(/** @type {TableParts} */ table, /** @type {string} */ field) {
  const found = table.fields.find((each) => each.field === field);
  if (found === undefined) throw new Error(`${table.name} has no field ${field}`);
  return found.column;
}

function prepare(/** @type {Connection} */ connection, /** @type {string} */ sql) {
  const statement = statements.get(sql) ?? connection.prepare(sql).safeIntegers().raw();
  statements.set(sql, statement);
  return statement;
}

/**
 * Returns SQL for a value of a row. Values that fit are converted to numbers, which are faster to pass to the other thread than bigints.
 */
function selectSql(/** @type {TableParts} */ { fields }, /** @type {string} */ column) {
  const kind = fields.find((field) => field.column === column)?.kind;
  const isOther =
    ['text', 'int64', 'int64List'].includes(kind ?? '') || column === 'id' || column === 'original';
  return isOther ? column : `CAST(${column} AS REAL)`;
}

/** Lists matches until a limit, such as the time limit, is reached. */
function list(
  /** @type {Connection} */ connection,
  /** @type {TableQuery} */ query,
  /** @type {ListLimits} */ limits,
) {
  const { withGeneration, after } = query;
  if (!withGeneration && after?.sweep === undefined) return listInOrder(connection, query, limits);
  // All statements read the same snapshot.
  connection.exec('BEGIN');
  try {
    const [generation = undefined] = withGeneration
      ? /** @type {[string]} */ (prepare(connection, `SELECT ${generationSql}`).get())
      : [];
    if (after?.sweep === undefined) return { ...listInOrder(connection, query, limits), generation };
    const { isLate, ...sweep } = sweepRows(connection, query, after.sweep, limits);
    return isLate
      ? { columns: [], last: { ...after, sweep }, isLate }
      : listInOrder(connection, query, limits, sweep.found);
  } finally {
    // An error can end the transaction.
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/**
 * Searches rows in storage order, which is the order of their IDs.
 *
 * @param {Connection} connection
 * @param {TableQuery} query
 * @param {import('@plant-store/records').Sweep} sweep where the previous part ended
 * @param {ListLimits} limits
 */
function sweepRows(connection, query, { after, found }, { durationMs = defaultDurationMs }) {
  startClock(durationMs);
  const { bounds, isFound, values } = describe(query);
  const sql = `
    SELECT id, ${isFound} FROM ${query.table.name} NOT INDEXED
    WHERE id > :sweptTo AND ${bounds} AND (${isFound} OR is_late()) ORDER BY id`;
  const rows = /** @type {Iterable<[bigint, bigint]>} */ (
    prepare(connection, sql).iterate({ ...values, sweptTo: after ?? Number.NEGATIVE_INFINITY })
  );
  for (const [id, isMatch] of rows) {
    if (!isMatch) return { after: id, found, isLate: true };
    found.push(id);
  }
  return { after, found, isLate: false };
}

/**
 * @param {Connection} connection
 * @param {TableQuery} query
 * @param {ListLimits} limits
 * @param {readonly bigint[]} [among] the IDs of the rows that can match, if they are known
 */
function listInOrder(connection, query, { matches, bytes: maxBytes, durationMs = defaultDurationMs }, among) {
  const { table, order, q } = query;
  const canSweep = q !== undefined && partsOfOrder(order).by === 'time';
  startClock(durationMs, canSweep ? searchedInOrder : undefined);
  const names = order === 'changes' ? [...table.columns, ...table.changeColumns] : table.columns;
  const { by, bounds, isFound, key, values } = describe(query);
  const selected = names.map((column) => selectSql(table, column)).join(', ');
  const rowsSql = (/** @type {string} */ from) =>
    `SELECT ${selected}, ${key} AS key$, ${table.bytes} AS bytes$, ${isFound} AS matches$ ${from} ORDER BY ${by} LIMIT :count`;
  const from = `FROM ${table.name} WHERE ${bounds}`;
  const isFiltered = Object.values(query.equal ?? {}).some((values) => values !== undefined);
  const sql =
    among !== undefined
      ? rowsSql(`${from} AND id IN (SELECT value FROM json_each(:among)) AND ${isFound}`)
      : // The index of a filter contains the ids, so sorting does not read rows.
        isFiltered && q === undefined && (order === 'id' || order === '-id')
        ? rowsSql(`FROM ${table.name} WHERE id IN (SELECT id ${from} ORDER BY ${by} LIMIT :count)`)
        : rowsSql(q === undefined ? from : `${from} AND (${isFound} OR is_late())`);
  const columns = names.map(() => /** @type {unknown[]} */ ([]));
  const [idAt, timeAt] = [names.indexOf('id'), names.indexOf('added_at')];
  const positionOf = (/** @type {unknown[]} */ row) => {
    const [id, time, sortedBy] = [/** @type {bigint} */ (row[idAt]), row[timeAt], row[names.length]];
    return {
      id,
      ...(time !== null && { addedAt: Number(time) }),
      ...(order === 'changes'
        ? { number: Number(sortedBy) }
        : sortedBy !== null && { key: String(sortedBy) }),
    };
  };
  let matched = 0;
  let bytes = 0;
  let previous = /** @type {unknown[] | undefined} */ (undefined);
  // One extra row shows whether there is a next page.
  const rows = /** @type {Iterable<unknown[]>} */ (
    prepare(connection, sql).iterate({ ...values, count: matches + 1, among: `[${among ?? []}]` })
  );
  for (const row of rows) {
    bytes += Number(row[names.length + 1]);
    if (!row[names.length + 2]) {
      const [first = 0, last = 0] = canSweep ? changeNumberRange(connection, table.name) : [];
      // Assumes that the rest of the table has as few matches as the rows so far. A table has at most as many rows as change numbers.
      const isRare = canSweep && matched * 10 < matches && last - first <= maxSweptRows;
      const sweep = isRare ? { sweep: { after: undefined, found: [] } } : {};
      return { columns, last: { ...positionOf(row), ...sweep }, isLate: true };
    }
    if (previous !== undefined && (matched === matches || bytes > maxBytes))
      return { columns, last: positionOf(previous) };
    for (const [index, column] of columns.entries()) column.push(row[index]);
    previous = row;
    matched++;
  }
  return { columns, last: undefined };
}

/** Returns the numbers of the first and the last change in a table. */
function changeNumberRange(/** @type {Connection} */ connection, /** @type {string} */ name) {
  // Two subqueries, because a single one for both would read the whole index.
  const ends = ['min', 'max'].map(
    (end) => `(SELECT ${end}(${seqColumn}) FROM ${name} WHERE ${seqColumn} IS NOT NULL)`,
  );
  return /** @type {(bigint | null)[]} */ (prepare(connection, `SELECT ${ends}`).get()).map(Number);
}

/** How many change numbers each sample of a search covers, and how many samples one pass through the table takes. */
const sample = { numbers: 250, times: 100 };

/**
 * Counts the rows that match. A search is counted in evenly spread parts of the table, as many as time allows. The count is an estimate
 * unless all parts were counted.
 */
function countAll(/** @type {Connection} */ connection, /** @type {TableQuery} */ query) {
  const { table, q } = query;
  const numbersOf = (/** @type {string} */ sql, /** @type {object} */ values) =>
    /** @type {(bigint | null)[]} */ (prepare(connection, sql).get(values)).map(Number);
  const { bounds, values } = describe({ ...query, q: undefined });
  const isAll = bounds === 'true AND NOT deleted';
  // Both counts read only indexes: one contains all rows, and one only the tombstones.
  const [all = 0] = isAll
    ? numbersOf(
        `SELECT (SELECT count(*) FROM ${table.name}) - (SELECT count(*) FROM ${table.name} WHERE deleted)`,
        {},
      )
    : numbersOf(`SELECT count(*) FROM ${table.name} WHERE ${bounds}`, values);
  if (q === undefined) return { count: all, isEstimate: false };
  const search = describe(query);
  const sql = `
    SELECT count(*) FILTER (WHERE ${search.isFound}), count(*) FROM ${table.name} INDEXED BY ${table.name}_${seqColumn}_idx
    WHERE ${seqColumn} >= :first AND ${seqColumn} < :end AND ${bounds}`;
  const [first = 0, last = 0] = changeNumberRange(connection, table.name);
  const parts = Math.ceil((last - first + 1) / sample.numbers);
  const step = Math.ceil(parts / sample.times);
  const deadline = performance.now() + defaultDurationMs;
  let [matching, examined, start] = [0, 0, 0];
  do {
    for (let part = start; part < parts; part += step) {
      const from = first + part * sample.numbers;
      const range = { first: from, end: from + sample.numbers };
      const [matches = 0, rows = 0] = numbersOf(sql, { ...search.values, ...range });
      matching += matches;
      examined += rows;
    }
    start++;
  } while (start < step && performance.now() < deadline);
  const isEstimate = start < step;
  return { count: isEstimate ? Math.round((matching * all) / Math.max(examined, 1)) : matching, isEstimate };
}

/** Lists the values of a column in order, with the number of records for each. */
function countValues(
  /** @type {Connection} */ connection,
  /** @type {TableParts} */ table,
  /** @type {{ field: string, after: string | undefined, maxValues: number }} */ { field, after, maxValues },
) {
  const column = columnOf(table, field);
  const beyond = after === undefined ? '' : `AND ${column} > :after`;
  const sql = `
    SELECT ${column}, CAST(count(*) AS REAL) FROM ${table.name}
    WHERE ${column} IS NOT NULL ${beyond} AND NOT deleted GROUP BY ${column} ORDER BY ${column} LIMIT ${maxValues + 1}`;
  const counts = /** @type {[string, number][]} */ (
    after === undefined ? prepare(connection, sql).all() : prepare(connection, sql).all({ after })
  );
  return { counts: counts.slice(0, maxValues), hasMore: counts.length > maxValues };
}
