import { messages } from '@plant-store/contract/messages';
import {
  type Change,
  type ChangeOutcome,
  type CreateOutcome,
  isTombstone,
  keptSince,
  pageOfStates,
  ServiceError,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from '@plant-store/records';
import { type RecordStore, statesPerCleanup } from '../store.js';
import {
  changedAtOf,
  columnTypes,
  literalOf,
  type QueryWrapper,
  readPages,
  seqColumn,
  type Table,
} from '../table.js';
import { type ChangeNumbers, createListChanges } from './list-changes.js';
import { countAll, countValues, createListPage, listIds } from './list-records.js';
import { confirmOnceSql, confirmPerRowSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

/**
 * Composes a statement that inserts records and returns the IDs of the stored ones.
 *
 * @param records in the order of their IDs
 * @param now the time of records that have none
 */
export type ComposeInsert<Fields> = (records: readonly Stored<Fields>[], now: number) => Statement;

export interface PostgresqlStoreOptions<Fields> {
  readonly query: Query;
  readonly table: Table<Fields>;
  /** Runs a transaction, which must be a single statement or idempotent; see `createRunQuery`. */
  readonly transact: QueryWrapper;
  readonly composeInsert: ComposeInsert<Fields>;
  /** `undefined` if Citus distributes the table, because each node numbers only its own transactions. */
  readonly changeNumbers?: ChangeNumbers | undefined;
  /** Whether a single server stores the table, and shows how much of its log is on disk; see `confirmOnceSql`. */
  readonly showsLog?: boolean;
  readonly historyDays?: number | undefined;
}

/** The transaction setting that the history trigger of a table reads. With `off`, the trigger keeps no history. */
const keepsHistorySetting = 'plant_store.keeps_history';

/**
 * Creates the store of a PostgreSQL table. Creates take one statement for any number of records, and another one to read the records whose
 * IDs are taken. Changes take one statement to read records, and one to replace those that are still the same. If Citus distributes the
 * table, each change has its own statements.
 */
export function createPostgresqlStore<Fields>({
  query,
  table,
  transact,
  composeInsert,
  changeNumbers,
  showsLog = false,
  historyDays = Number.POSITIVE_INFINITY,
}: PostgresqlStoreOptions<Fields>): RecordStore<Fields> {
  const {
    name,
    fields,
    fieldColumns,
    columns,
    historyColumns,
    states,
    stateColumns,
    origin: [since, by],
    erased,
    bytes,
    bytesOf,
    toRecord,
    toHistory,
    toState,
    toColumns,
  } = table;
  const selected = columns.join(', ');
  // The caller may acknowledge a record that is found, so it must be as durable as a commit.
  const findSqlOf = (selected: string) =>
    showsLog
      ? `SELECT ${selected} FROM ${name} WHERE id = ANY($1::bigint[]) AND ${confirmOnceSql} IS NOT FALSE`
      : `SELECT ${selected}, ${confirmPerRowSql} FROM ${name} WHERE id = ANY($1::bigint[])`;
  const find = { sql: findSqlOf(selected), name: showsLog ? `find_${name}` : undefined };
  const historySql = findSqlOf([...columns, ...historyColumns].join(', '));
  /** The columns that a change sets, with their types. */
  const changed: readonly (readonly [string, string])[] = [
    ...fields.map(({ column, kind }) => [column, columnTypes.postgresql[kind]] as const),
    ...([
      ['original', 'text'],
      ['added_at', 'bigint'],
      ['deleted', 'boolean'],
      ['changed_at', 'bigint'],
    ] as const),
  ];
  // A trigger keeps the history, and Citus cannot distribute a table with a trigger.
  const hasHistory = changeNumbers !== undefined;
  const beforeOf = (column: string) => `"before$${column.replaceAll('"', '')}"`;
  const seq = changeNumbers?.ofTransaction ?? 'NULL';
  const changedColumns = changed.map(([column]) => column);
  const isAsBefore = changed
    .filter(([column]) => !['deleted', 'changed_at'].includes(column))
    .map(([column]) => `${name}.${column} IS NOT DISTINCT FROM change.${beforeOf(column)}`);
  // Rows are locked in the order of their IDs, so that two statements with the same rows wait for each other instead of deadlocking. The
  // second condition on the IDs shows Citus that all rows are in one shard.
  const changeSql = `
    WITH change AS (
      SELECT * FROM unnest($1::bigint[], $2::text[], ${[...changed, ...changed].map(([, type], at) => `$${at + 3}::${type}[]`).join(', ')})
        AS change (id, by$, ${[...changedColumns, ...changedColumns.map(beforeOf)].join(', ')})
    ), found AS (SELECT id FROM ${name} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE)
    UPDATE ${name} SET ${changed
      .map(
        ([column]) =>
          `${column} = ${column === 'added_at' ? `CASE WHEN change.deleted THEN ${name}.added_at ELSE change.added_at END` : `change.${column}`}`,
      )
      .join(', ')}, ${seqColumn} = ${seq},
      added_by = CASE WHEN change.before$deleted THEN change.by$ ELSE ${name}.added_by END,
      changed_by = CASE WHEN change.before$deleted THEN NULL ELSE change.by$ END
    FROM found JOIN change USING (id)
    WHERE ${name}.id = ANY($1::bigint[]) AND ${name}.id = found.id
      AND ${name}.deleted = change.before$deleted AND (${name}.deleted OR ${isAsBefore.join(' AND ')})
      ${hasHistory && historyDays === 0 ? `AND set_config('${keepsHistorySetting}', 'off', true) = 'off'` : ''}
    RETURNING ${name}.id`;
  const currentSql = `
    SELECT NULL::bigint AS history_place, ${since} AS changed_at, NULL::bigint AS replaced_at, ${by} AS changed_by, ${fieldColumns.join(', ')}, ${confirmPerRowSql}
    FROM ${name} WHERE id = $1::bigint AND NOT deleted`;
  // Selects at most one more state than fits on a page. PostgreSQL measures their sizes without reading texts.
  const statesSql = `
    ${currentSql}
    UNION ALL SELECT history_place, ${stateColumns.join(', ')}, NULL FROM (
      SELECT *, coalesce(sum(${bytes}) OVER (ORDER BY history_place DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS bytes$
      FROM ${states} WHERE id = $1::bigint AND history_place <= $2::bigint AND replaced_at >= $3::bigint ORDER BY history_place DESC LIMIT $4::bigint
    ) AS replaced WHERE bytes$ <= $5::bigint ORDER BY history_place DESC NULLS FIRST`;
  const removeOldSql = `
    DELETE FROM ${states} WHERE history_place IN (SELECT history_place FROM ${states} ORDER BY history_place LIMIT ${statesPerCleanup}) AND replaced_at < $1::bigint
    RETURNING history_place`;
  /**
   * Composes a statement that stores tombstones for unused IDs. The IDs are part of its text, because Citus can divide a list of values
   * among nodes, but not an array.
   */
  const composeRetire = (ids: readonly bigint[]) => `
    INSERT INTO ${name} (id, deleted, changed_at, ${seqColumn}, ${fieldColumns.join(', ')})
    VALUES ${ids.map((id) => `((${id})::bigint, true, ${Date.now()}, ${seq}, ${fields.map((field) => literalOf(field, field.erased)).join(', ')})`).join(', ')}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  async function writeIds(statement: Statement): Promise<ReadonlySet<bigint>> {
    return new Set((await query(statement)).map(([id]) => BigInt(String(id))));
  }

  async function findAll(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, StoredRecord<Fields>>> {
    if (ids.length === 0) return new Map();
    const rows = await query({ ...find, args: [ids] });
    return new Map(rows.map(toRecord).map((record) => [record.id, record]));
  }

  async function createAll(records: readonly Stored<Fields>[]): Promise<readonly CreateOutcome<Fields>[]> {
    const now = Date.now();
    const storedAs = ({ addedAt = now }: Stored<Fields>) => ({ stored: true, addedAt }) as const;
    const unclaimed = new Set(
      await writeIds(
        composeInsert(
          records.toSorted((a, b) => compareIds(a.id, b.id)),
          now,
        ),
      ),
    );
    if (unclaimed.size === records.length) return records.map(storedAs);
    // If several records have the same new ID, the first one is stored.
    const wasStored = records.map(({ id }) => unclaimed.delete(id));
    // An ID never becomes free again, so its record can be read after the insert.
    const taken = await findAll([...new Set(records.filter((_, at) => !wasStored[at]).map(({ id }) => id))]);
    return records.map((record, at) => {
      if (wasStored[at]) return storedAs(record);
      const { id } = record;
      const existing = taken.get(id);
      // A trigger can skip a row silently.
      if (existing === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
      return { stored: false, existing };
    });
  }

  /** Returns the values of a record for the columns that a change sets. */
  const valuesOf = (record: StoredRecord<Fields>, now = Date.now()) =>
    isTombstone(record)
      ? [...erased, null, null, true, now]
      : [
          ...toColumns(record),
          record.original ?? null,
          record.addedAt ?? null,
          false,
          changedAtOf(record, now),
        ];

  /** Replaces the records that are still as they were read, and stores tombstones for IDs that were never used. Returns the written IDs. */
  async function replaceAll(
    replacements: readonly {
      readonly before: StoredRecord<Fields> | undefined;
      readonly after: StoredRecord<Fields> | undefined;
      readonly by: string | undefined;
    }[],
  ): Promise<ReadonlySet<bigint>> {
    const retired = replacements.flatMap(({ before, after }) =>
      before === undefined && after !== undefined ? after.id : [],
    );
    const written = new Set(
      retired.length === 0 ? [] : await writeIds({ sql: composeRetire(retired.toSorted(compareIds)) }),
    );
    const rows = replacements.flatMap(({ before, after, by = null }) =>
      before === undefined || after === undefined
        ? []
        : [[after.id, by, ...valuesOf(after), ...valuesOf(before)]],
    );
    const [first] = rows;
    if (first === undefined) return written;
    const args = first.map((_, column) => rows.map((row) => row[column]));
    return new Set([...written, ...(await writeIds({ sql: changeSql, args }))]);
  }

  /**
   * Prepares changes. Each round reads the records, and replaces those that are still the same. The remaining changes, and further changes
   * of the same ID, follow in the next round.
   *
   * @returns a function that makes the changes. After a failure, calling it again continues with the remaining changes, because a change
   * that was already made would now have a different outcome
   */
  function createChanging(
    changes: readonly Change<Fields>[],
  ): () => Promise<readonly ChangeOutcome<Fields>[]> {
    const outcomes: ChangeOutcome<Fields>[] = [];
    let remaining = changes.map((change, index) => ({ change, index }));
    let roundsWithoutProgress = 0;
    async function runRound() {
      const found = await findAll([...new Set(remaining.map(({ change }) => change.id))]);
      const firstOfId = new Map(remaining.toReversed().map((entry) => [entry.change.id, entry]));
      const attempts = [...firstOfId.values()].map(({ change: { id, replace, by }, index }) => {
        const before = found.get(id);
        return { id, index, by, before, after: replace(before) };
      });
      const replaced = await replaceAll(attempts);
      const done = new Set<number>();
      for (const { id, index, before, after } of attempts) {
        if (after !== undefined && !replaced.has(id)) continue;
        outcomes[index] = { before, after };
        done.add(index);
      }
      remaining = remaining.filter(({ index }) => !done.has(index));
      roundsWithoutProgress = done.size > 0 ? 0 : roundsWithoutProgress + 1;
      if (roundsWithoutProgress === maxRoundsWithoutProgress)
        throw new Error(`The record ${remaining[0]?.change.id} was not changed`);
    }
    return async () => {
      while (remaining.length > 0) await runRound();
      return outcomes;
    };
  }

  const listPage = showsLog ? createListPage(query, table) : undefined;
  const changeLister = changeNumbers && createListChanges(query, table, changeNumbers);
  function requireChangeLister() {
    if (changeLister !== undefined) return changeLister;
    throw new ServiceError('changes_unsupported', messages.changesUnsupported);
  }

  return {
    async create(records) {
      if (records.length === 0) return [];
      return transact(() => createAll(records));
    },
    async change(changes) {
      const outcomes: ChangeOutcome<Fields>[] = [];
      const parts = changeNumbers === undefined ? changes.map((change) => [change]) : [changes];
      for (const part of parts) outcomes.push(...(await transact(createChanging(part))));
      return outcomes;
    },
    listChanges: (after, limits) => transact(async () => requireChangeLister().listChanges(after, limits)),
    lastChange: () => transact(async () => requireChangeLister().lastChange()),
    find: (ids) => transact(async () => [...(await findAll(ids)).values()]),
    findHistory: (ids) =>
      transact(async () => (await query({ sql: historySql, args: [ids] })).map(toHistory)),
    listStates: (id, start, limits) =>
      transact(async () => {
        const before = start ?? Number.MAX_SAFE_INTEGER;
        const rows = await (hasHistory
          ? query({
              sql: statesSql,
              args: [id, before, keptSince(Date.now(), historyDays), limits.matches + 1, limits.bytes],
            })
          : query({ sql: currentSql, args: [id] }));
        const found = rows.map(toState);
        const [current, ...replaced] = found;
        if (current === undefined || current.place !== undefined) return undefined;
        return pageOfStates(start === undefined ? found : replaced, bytesOf, limits);
      }),
    removeOldStates: () =>
      transact(async () => {
        if (!hasHistory) return false;
        const removed = await query({ sql: removeOldSql, args: [keptSince(Date.now(), historyDays)] });
        return removed.length > 0;
      }),
    list: (list, limits) =>
      transact(async () => {
        const page = await listPage?.(list, limits);
        if (page !== undefined) return page;
        const { ids, ...listed } = await listIds(query, table, list, limits);
        const found = await findAll(ids);
        // A record may have been deleted since its ID was read.
        return { ...listed, records: withoutTombstones(ids.flatMap((id) => found.get(id) ?? [])) };
      }),
    countAll: (filter) => transact(() => countAll(query, table, filter)),
    countValues: (field, after, maxValues) =>
      transact(() =>
        countValues(query, table, { field, after, maxValues, isDistributed: changeNumbers === undefined }),
      ),
    // Sizes are read first, because PostgreSQL measures texts without reading them, and each Citus shard would send a whole page.
    read: (after, limits) =>
      readPages(async (last) => {
        const rest = last === undefined ? '' : `WHERE id > ${last}`;
        const sql = `SELECT id, ${bytes} FROM ${name} ${rest} ORDER BY id LIMIT ${limits.records}`;
        const sizes = await transact(() => query({ sql }));
        let total = 0;
        const page = sizes.filter(([, size], place) => {
          total += Number(size);
          return place === 0 || total <= limits.bytes;
        });
        const [first, end] = [page[0]?.[0], page.at(-1)?.[0]];
        if (first === undefined) return [];
        const pageSql = `SELECT ${selected} FROM ${name} WHERE id BETWEEN ${first} AND ${end} ORDER BY id`;
        const rows = await transact(() => query({ sql: pageSql }));
        return rows.map(toRecord);
      }, after),
  };
}

/** Sorts IDs in ascending order, in which two inserts with the same IDs wait for each other instead of deadlocking. */
const compareIds = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * After how many rounds without progress a change fails. By then, the database must be skipping rows, as a trigger can, and not just
 * storing the changes of others first.
 */
const maxRoundsWithoutProgress = 100;

/**
 * Creates a function that composes an insert with an array for each column, so that the statement is the same for any number of records.
 *
 * @param seq SQL for the change number of the records
 */
export function createInsert<Fields>(
  { name, fields, fieldColumns, toColumns }: Table<Fields>,
  seq = 'NULL::bigint',
): ComposeInsert<Fields> {
  const types = ['bigint', ...fields.map(({ kind }) => columnTypes.postgresql[kind]), 'text'];
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const time = `$${types.length + 1}::bigint`;
  const columns = ['id', ...fieldColumns, 'added_by', 'added_at', seqColumn].join(', ');
  const sqlOf = (from: string) => `
    INSERT INTO ${name} (${columns}) SELECT ${from} ON CONFLICT (id) DO NOTHING RETURNING id`;
  const withTimeOfAll = sqlOf(`*, ${time}, ${seq} FROM unnest(${arrays})`);
  /** For an import, in which each record has its own time. */
  const withTimes = sqlOf(`*, ${seq} FROM unnest(${arrays}, ${time}[])`);
  return (records, now) => {
    const haveTimes = records.some(({ addedAt }) => addedAt !== undefined);
    const rows = records.map(toColumns);
    return {
      sql: haveTimes ? withTimes : withTimeOfAll,
      args: [
        records.map(({ id }) => id),
        ...fields.map((_, at) => rows.map((row) => row[at])),
        records.map(({ addedBy = null }) => addedBy),
        haveTimes ? records.map(({ addedAt = now }) => addedAt) : now,
      ],
      name: haveTimes ? undefined : `insert_${name}`,
    };
  };
}
