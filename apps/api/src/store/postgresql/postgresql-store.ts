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
import { type RecordStore, statesTogether } from '../store.js';
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
 * Composes the statement that inserts records, and returns the ids of those that it stored.
 *
 * @param records in the order of their ids
 * @param now the time of records that have none
 */
export type ComposeInsert<Fields> = (records: readonly Stored<Fields>[], now: number) => Statement;

export interface PostgresqlStoreOptions<Fields> {
  readonly query: Query;
  readonly table: Table<Fields>;
  /** Runs a transaction, which is a statement or idempotent; see `createRunQuery`. */
  readonly transact: QueryWrapper;
  readonly composeInsert: ComposeInsert<Fields>;
  /** `undefined` where Citus distributes the table, because each node numbers only its own transactions. */
  readonly changeNumbers?: ChangeNumbers | undefined;
  /** Whether one server has the table and shows how much of its log is on disk; see `confirmOnceSql`. */
  readonly showsLog?: boolean;
  readonly historyDays?: number | undefined;
}

/** The setting of a transaction that makes the trigger of a table keep no history. */
const keepsHistory = 'plant_store.keeps_history';

/**
 * Creates the store of a PostgreSQL table. A create is one statement for any number of records, and another one reads the records whose ids
 * are taken. Changes are one statement that reads records, and one that replaces those that are still the same. Where Citus distributes the
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
  // A record that is found is acknowledged, so it must be as durable as a commit.
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
  // Citus distributes no table with a trigger, which keeps the history.
  const hasHistory = changeNumbers !== undefined;
  const beforeOf = (column: string) => `"before$${column.replaceAll('"', '')}"`;
  const seq = changeNumbers?.ofTransaction ?? 'NULL';
  const changedColumns = changed.map(([column]) => column);
  const isAsBefore = changed
    .filter(([column]) => !['deleted', 'changed_at'].includes(column))
    .map(([column]) => `${name}.${column} IS NOT DISTINCT FROM change.${beforeOf(column)}`);
  // Rows are locked in the order of their ids, so that two statements with the same rows wait for each other instead of deadlocking. The
  // second condition on the ids shows Citus that all rows are in one shard.
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
      ${hasHistory && historyDays === 0 ? `AND set_config('${keepsHistory}', 'off', true) = 'off'` : ''}
    RETURNING ${name}.id`;
  const currentSql = `
    SELECT NULL::bigint AS history_place, ${since} AS changed_at, NULL::bigint AS replaced_at, ${by} AS changed_by, ${fieldColumns.join(', ')}, ${confirmPerRowSql}
    FROM ${name} WHERE id = $1::bigint AND NOT deleted`;
  // At most one more state than fits on a page. Sizes are measured without reading texts.
  const statesSql = `
    ${currentSql}
    UNION ALL SELECT history_place, ${stateColumns.join(', ')}, NULL FROM (
      SELECT *, coalesce(sum(${bytes}) OVER (ORDER BY history_place DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS bytes$
      FROM ${states} WHERE id = $1::bigint AND history_place <= $2::bigint AND replaced_at >= $3::bigint ORDER BY history_place DESC LIMIT $4::bigint
    ) AS replaced WHERE bytes$ <= $5::bigint ORDER BY history_place DESC NULLS FIRST`;
  const removeOldSql = `
    DELETE FROM ${states} WHERE history_place IN (SELECT history_place FROM ${states} ORDER BY history_place LIMIT ${statesTogether}) AND replaced_at < $1::bigint
    RETURNING history_place`;
  /** The ids are part of the statement, because Citus can divide a list of values among nodes, but no array. */
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
          records.toSorted((a, b) => inOrder(a.id, b.id)),
          now,
        ),
      ),
    );
    if (unclaimed.size === records.length) return records.map(storedAs);
    // Of several records with one new id, the first is stored.
    const wasStored = records.map(({ id }) => unclaimed.delete(id));
    // An id never becomes free again, so its record can be read after the insert.
    const taken = await findAll([...new Set(records.filter((_, at) => !wasStored[at]).map(({ id }) => id))]);
    return records.map((record, at) => {
      if (wasStored[at]) return storedAs(record);
      const { id } = record;
      const existing = taken.get(id);
      // A trigger may skip a row silently.
      if (existing === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
      return { stored: false, existing };
    });
  }

  /** The values of a record in the columns that a change sets. */
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

  /** Replaces each record that is still as it was read, and returns the ids of those. */
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
      retired.length === 0 ? [] : await writeIds({ sql: composeRetire(retired.toSorted(inOrder)) }),
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
   * Prepares changes. Each round reads the records, and replaces those that are still the same. The remaining changes, and further changes of
   * one id, follow in the next round.
   *
   * @returns a function that makes the changes. After a failure, calling it again continues with the remaining changes, because a change that
   * took place would now have another outcome
   */
  function createChanging(
    changes: readonly Change<Fields>[],
  ): () => Promise<readonly ChangeOutcome<Fields>[]> {
    const outcomes: ChangeOutcome<Fields>[] = [];
    let left = changes.map((change, index) => ({ change, index }));
    let fruitlessRounds = 0;
    async function runRound() {
      const found = await findAll([...new Set(left.map(({ change }) => change.id))]);
      const firstOfId = new Map(left.toReversed().map((entry) => [entry.change.id, entry]));
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
      left = left.filter(({ index }) => !done.has(index));
      fruitlessRounds = done.size > 0 ? 0 : fruitlessRounds + 1;
      if (fruitlessRounds === maxFruitlessRounds)
        throw new Error(`The record ${left[0]?.change.id} was not changed`);
    }
    return async () => {
      while (left.length > 0) await runRound();
      return outcomes;
    };
  }

  const listPage = showsLog ? createListPage(query, table) : undefined;
  const listing = changeNumbers && createListChanges(query, table, changeNumbers);
  function changes() {
    if (listing !== undefined) return listing;
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
    listChanges: (after, limits) => transact(async () => changes().listChanges(after, limits)),
    lastChange: () => transact(async () => changes().lastChange()),
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
        // A record may have been removed since its id was read.
        return { ...listed, records: withoutTombstones(ids.flatMap((id) => found.get(id) ?? [])) };
      }),
    countAll: (filter) => transact(() => countAll(query, table, filter)),
    countValues: (field, after, maxValues) =>
      transact(() =>
        countValues(query, table, { field, after, maxValues, isDistributed: changeNumbers === undefined }),
      ),
    // Sizes are read first, because PostgreSQL measures texts without reading them, and each shard of Citus would send a whole page.
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

/** In this order, two inserts with the same ids wait for each other instead of deadlocking. */
const inOrder = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** After how many rounds without a change the database must be skipping rows, as a trigger can, rather than changing others first. */
const maxFruitlessRounds = 100;

/**
 * An insert with an array for each column, so that the statement is the same for any number of records.
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
  /** For an import. */
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
