// @ts-check
// The program of the thread that reads lists. It is JavaScript, since the sources and the build load it by the same path.
import { parentPort, workerData } from 'node:worker_threads';
import { foldText, searchText } from '@plant-store/contract/fold-text';
import Database from 'better-sqlite3';
import { requireFiles } from './file-identity.js';

/**
 * @typedef {import('./list-thread.js').RecordQuery} RecordQuery
 * @typedef {import('@plant-store/records').ListLimits} ListLimits
 * @typedef {import("./list-thread.js").ListedColumns} ListedColumns
 */

/**
 * @typedef {import('./list-thread.js').TableParts} TableParts
 * @typedef {RecordQuery & { table: TableParts }} TableQuery a query of a table
 */

/** @type {{ tables: readonly TableParts[], seqColumn: string, generationSql: string }} */
const { tables, seqColumn, generationSql } = workerData;

/**
 * What is read of the records that are walked along: the texts of those that match alone.
 *
 * @param {TableParts} table
 * @param {readonly string[]} columns
 */
function walkOf(table, columns) {
  const all = [...columns, 'matches$', 'bytes$'];
  const kinds = new Map(table.fields.map(({ column, kind }) => [column, kind]));
  const selected = all.map((column) => {
    const kind = kinds.get(column);
    if (column === 'id' || kind === 'int64') return column;
    // As a number, which is passed to the other thread faster than a bigint.
    return column === 'original' || kind === 'text' || kind === 'int64List'
      ? `iif(matches$, ${column}, NULL)`
      : `CAST(${column} AS REAL)`;
  });
  return {
    columns,
    selected: selected.join(', '),
    /** Where a row has what is looked at. */
    place: {
      id: all.indexOf('id'),
      addedAt: all.indexOf('added_at'),
      number: all.indexOf(seqColumn),
      matches: all.indexOf('matches$'),
      bytes: all.indexOf('bytes$'),
    },
  };
}

const walks = new Map(
  tables.map((table) => [
    table.name,
    {
      table,
      records: walkOf(table, table.columns),
      changes: walkOf(table, [...table.columns, ...table.changeColumns]),
    },
  ]),
);

/** @param {string} name */
function walksOf(name) {
  const found = walks.get(name);
  if (found === undefined) throw new Error(`There is no table ${name}`);
  return found;
}

/** @param {TableQuery} query */
function walkFor({ table, order, unnumbered, counted }) {
  if (counted !== undefined) return walkOf(table, ['id', counted]);
  const { records, changes } = walksOf(table.name);
  return order === 'changes' || unnumbered ? changes : records;
}

/** How long records are examined by default, in milliseconds, and after how many of them, or of bytes, the time is looked at. */
const defaultDurationMs = 100;
const recordsPerLook = 100;
const bytesPerLook = 65_536;

let database = /** @type {import('better-sqlite3').Database | undefined} */ (undefined);
/** The statements of the connection by their text, which depends on which parts a query has, not on their values. */
const statements = /** @type {Map<string, import('better-sqlite3').Statement>} */ (new Map());

parentPort?.on(
  'message',
  (/** @type {{ table: string, query: RecordQuery, limits: ListLimits } | null} */ request) => {
    if (request === null) {
      database?.close();
      parentPort?.close();
      return;
    }
    try {
      database ??= open();
      const query = { ...request.query, table: walksOf(request.table).table };
      const { counted, withGeneration } = query;
      const listed = withGeneration
        ? listWithGeneration(database, query, request.limits)
        : list(database, query, request.limits);
      const columns = counted === undefined ? listed.columns : countValues(listed.columns[1] ?? []);
      parentPort?.postMessage({ listed: { ...listed, columns } });
    } catch (error) {
      // A new connection may work: the disk may have been full, or too many files open.
      database?.close();
      database = undefined;
      statements.clear();
      const { message, code } = /** @type {Error & { code?: string }} */ (error);
      parentPort?.postMessage({ error: { message, code } });
    }
  },
);

/**
 * A list, and the generation of the store in which it was read.
 *
 * @param {import('better-sqlite3').Database} connection
 * @param {TableQuery} query
 * @param {ListLimits} limits
 * @returns {ListedColumns}
 */
function listWithGeneration(connection, query, limits) {
  connection.exec('BEGIN');
  try {
    const [generation] = /** @type {[string]} */ (prepare(connection, `SELECT ${generationSql}`).get());
    return { ...list(connection, query, limits), generation };
  } finally {
    // An error may have ended it.
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/**
 * The values of a column, and how often each is there.
 *
 * @param {readonly unknown[]} values
 */
function countValues(values) {
  /** @type {Map<unknown, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  counts.delete(null);
  return [[...counts.keys()], [...counts.values()]];
}

/** When a search gives up within a text, and whether it has. */
const search = { until: Number.POSITIVE_INFINITY, hasGivenUp: false };

/**
 * Whether a text contains a folded one, unless the search gives up. It looks at the time between the parts of a long text.
 *
 * @param {string} text
 * @param {string} folded
 */
function findText(text, folded) {
  const parts = searchText(text, folded);
  let part = parts.next();
  while (!part.done) {
    part = parts.next();
    search.hasGivenUp ||= !part.done && performance.now() > search.until;
    if (search.hasGivenUp) return false;
  }
  return part.value;
}

function open() {
  /** @type {import('./file-identity.js').DatabaseFiles} */
  const files = workerData.files;
  const connection = new Database(files.database.path, { readonly: true, fileMustExist: true });
  try {
    // The file is open, and the first statement opens the log, which belongs to none but the same file.
    requireFiles(files);
    connection.pragma('cache_size = -8000');
    // The cases of other letters than ASCII are not known to SQLite.
    connection.function(
      'has_text',
      { deterministic: true },
      (/** @type {string | null} */ text, /** @type {string} */ folded) =>
        text !== null && findText(text, folded) ? 1 : 0,
    );
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The part of the records that an order has, the place after a record, and the order. The last two are walked by an index. */
const orders = {
  id: { of: 'true', after: 'id > :id', by: 'id' },
  newest: {
    of: 'added_at IS NOT NULL',
    after: '(added_at, id) < (:addedAt, :id)',
    by: 'added_at DESC, id DESC',
  },
  untimed: { of: 'added_at IS NULL', after: 'id < :id', by: 'id DESC' },
  changes: {
    of: `${seqColumn} IS NOT NULL`,
    after: `(${seqColumn}, id) > (:number, :id)`,
    by: `${seqColumn}, id`,
  },
};

/**
 * The parts of the statements of a query.
 *
 * @param {TableQuery} query
 */
function describe({ table, order, after, equal, q, addedFrom, addedBefore, tombstones, unnumbered }) {
  const { of, after: afterSql, by } = orders[order];
  const found = table.searches.map((column) => `has_text(${column}, :q)`);
  const range = [
    addedFrom === undefined ? [] : 'added_at >= :addedFrom',
    // After a record the order itself has a narrower bound, which the index is to be used for.
    addedBefore === undefined ? [] : `${after === undefined ? '' : '+'}added_at < :addedBefore`,
  ].flat();
  const compared = Object.fromEntries(
    Object.entries(equal ?? {}).map(([field, value]) => [`is_${field}`, value]),
  );
  const matches = [
    tombstones ? [] : 'NOT deleted',
    unnumbered ? `${seqColumn} IS NULL` : [],
    comparedIn(table, equal).map(({ field, column }) => `${column} IS :is_${field}`),
    order === 'newest' ? [] : range,
    // Last, since it takes longest.
    q === undefined ? [] : `(${found.join(' OR ')})`,
  ];
  const where = [of, after === undefined ? [] : afterSql, order === 'newest' ? range : []].flat();
  return {
    next: `${table.name} WHERE ${where.join(' AND ')} ORDER BY ${by}`,
    matches: matches.flat().join(' AND ') || 'true',
    values: { ...after, ...compared, q: q === undefined ? q : foldText(q), addedFrom, addedBefore },
  };
}

/**
 * The fields that a query compares.
 *
 * @param {TableParts} table
 * @param {RecordQuery['equal']} equal
 */
function comparedIn(table, equal) {
  return table.fields.filter(({ field }) => equal?.[field] !== undefined);
}

/**
 * Whether records may be examined in vain.
 *
 * @param {TableQuery} query
 */
function isFilteredBy({ table, order, equal, q, addedFrom, addedBefore, unnumbered }) {
  const isRange = order !== 'newest' && (addedFrom !== undefined || addedBefore !== undefined);
  return comparedIn(table, equal).length > 0 || q !== undefined || isRange || unnumbered === true;
}

/**
 * @param {import('better-sqlite3').Database} connection
 * @param {string} sql
 */
function prepare(connection, sql) {
  const statement = statements.get(sql) ?? connection.prepare(sql).safeIntegers().raw();
  statements.set(sql, statement);
  return statement;
}

/** How many records are passed over at once where few should match, which takes a fifth of the time of a walk along them. */
const recordsPerPart = 500;

/**
 * Counts the next records, and the bytes of their texts, which are not read for it.
 *
 * @param {import('better-sqlite3').Database} connection
 * @param {TableQuery} query
 */
function measurePart(connection, query) {
  const { next, values } = describe(query);
  const sql = `SELECT count(*), ifnull(sum(bytes), 0) FROM (SELECT ${query.table.bytes} AS bytes FROM ${next} LIMIT :records)`;
  const [count, bytes] = /** @type {[bigint, bigint]} */ (
    prepare(connection, sql).get({ ...values, records: recordsPerPart })
  );
  return { count: Number(count), bytes: Number(bytes) };
}

/**
 * Whether none of the next records matches.
 *
 * @param {import('better-sqlite3').Database} connection
 * @param {TableQuery} query
 */
function matchesNone(connection, query) {
  const { next, matches, values } = describe(query);
  const sql = `SELECT 1 FROM (SELECT * FROM ${next} LIMIT :records) WHERE ${matches} LIMIT 1`;
  return prepare(connection, sql).get({ ...values, records: recordsPerPart }) === undefined;
}

/**
 * The position of one of the next records.
 *
 * @param {import('better-sqlite3').Database} connection
 * @param {TableQuery} query
 * @param {number} place from 1
 */
function findPosition(connection, query, place) {
  const { next, values } = describe(query);
  const sql = `SELECT id, added_at FROM ${next} LIMIT 1 OFFSET :offset`;
  const [id, time] = /** @type {[bigint, bigint | null]} */ (
    prepare(connection, sql).get({ ...values, offset: place - 1 })
  );
  return toPosition(id, time, undefined);
}

/**
 * @param {bigint} id
 * @param {bigint | number | null | undefined} time
 * @param {number | null | undefined} number
 */
function toPosition(id, time, number) {
  return {
    id,
    ...(time !== undefined && time !== null && { addedAt: Number(time) }),
    ...(typeof number === 'number' && { number }),
  };
}

/**
 * Walks along the records, and stops at the first one that exceeds a limit, or within whose texts the time ends: the next page begins
 * with that one, and searches it to the end. With a filter it passes over parts of the records in which none matches.
 *
 * @param {import('better-sqlite3').Database} connection
 * @param {TableQuery} query
 * @param {ListLimits} limits
 * @returns {ListedColumns}
 */
function list(connection, query, limits) {
  const startedAt = performance.now();
  const deadline = startedAt + (limits.durationMs ?? defaultDurationMs);
  const isFiltered = isFilteredBy(query);
  const { selected, place, ...walk } = walkFor(query);
  const columns = walk.columns.map(() => /** @type {unknown[]} */ ([]));
  let matched = 0;
  let { after } = query;
  let examined = 0;
  let bytes = 0;
  let look = { examined: recordsPerLook, bytes: bytesPerLook };
  let isLate = false;
  search.until = Number.POSITIVE_INFINITY;
  search.hasGivenUp = false;
  for (;;) {
    const rest = { ...query, after };
    if (isFiltered && !isLate && matched < limits.matches) {
      const part = measurePart(connection, rest);
      const isWithin = examined + part.count <= limits.records && bytes + part.bytes <= limits.bytes;
      // Long texts take long to look through, so that the time is looked at between them.
      const isShort = part.bytes <= bytesPerLook;
      if (part.count > 0 && isShort && isWithin && matchesNone(connection, rest) && !search.hasGivenUp) {
        examined += part.count;
        search.until = deadline;
        bytes += part.bytes;
        after = findPosition(connection, rest, part.count);
        isLate = performance.now() > deadline;
        continue;
      }
    }
    const { next, matches, values } = describe(rest);
    const sql = `
      SELECT ${selected} FROM (
        SELECT ${walk.columns.join(', ')}, ${query.table.bytes} AS bytes$, ${matches} AS matches$ FROM ${next}
      )`;
    const rows = /** @type {Iterable<unknown[]>} */ (prepare(connection, sql).iterate(values));
    let walked = 0;
    let isOver = true;
    for (const row of rows) {
      // Not with LIMIT: SQLite would copy each row.
      if (isFiltered && walked === recordsPerPart) {
        isOver = false;
        break;
      }
      bytes += /** @type {number} */ (row[place.bytes]);
      const isFull = examined === limits.records || matched === limits.matches || bytes > limits.bytes;
      if (examined >= look.examined || bytes >= look.bytes) {
        look = { examined: examined + recordsPerLook, bytes: bytes + bytesPerLook };
        isLate ||= performance.now() > deadline;
      }
      if (examined > 0 && (isFull || isLate || search.hasGivenUp)) {
        return { columns, last: after, readMs: performance.now() - startedAt };
      }
      walked++;
      examined++;
      search.until = deadline;
      after = toPosition(
        /** @type {bigint} */ (row[place.id]),
        /** @type {number | null | undefined} */ (row[place.addedAt]),
        /** @type {number | null | undefined} */ (row[place.number]),
      );
      if (!row[place.matches]) continue;
      matched++;
      columns.forEach((column, index) => void column.push(row[index]));
    }
    if (isOver) return { columns, last: undefined, readMs: performance.now() - startedAt };
  }
}
