import { isDeepStrictEqual } from 'node:util';
import { messages } from '@plant-store/contract/messages';
import {
  type Change,
  type ChangeOutcome,
  type CreateOutcome,
  isTombstone,
  keptSince,
  ServiceError,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from '@plant-store/records';

import { changedAtOf, pageOfStates, type RecordStore, removedStates } from '../store.js';
import {
  columnTypes,
  currentSql,
  literalOf,
  type QueryWrapper,
  readPages,
  seqColumn,
  type Table,
} from '../table.js';
import { type ChangeNumbers, createListChanges } from './list-changes.js';
import { countValues, createListPage, listIds } from './list-records.js';
import { durableColumnSql, durableOnceSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

/** How records are inserted by one statement, which returns the ids of those that it has stored. */
export interface InsertStatement<Fields> {
  /**
   * @param records in the order of their ids
   * @param now the time of those that have none
   */
  compose(records: readonly Stored<Fields>[], now: number): Statement;
}

/** What a store of PostgreSQL works with. */
export interface PostgresqlStoreOptions<Fields> {
  readonly query: Query;
  readonly table: Table<Fields>;
  /** Runs a transaction, which is a statement or idempotent; see `createRunQuery`. */
  readonly transact: QueryWrapper;
  readonly insert: InsertStatement<Fields>;
  /** `undefined` where Citus distributes the table: its nodes number their transactions each for itself. */
  readonly changeNumbers?: ChangeNumbers | undefined;
  /** Whether one server has the table and shows how much of its log is on disk; see `durableOnceSql`. */
  readonly showsLog?: boolean;
  /** For how many days replaced states are kept. */
  readonly historyDays?: number | undefined;
  /**
   * Runs statements in a transaction, where Citus distributes the table: it forwards no statement that inserts into one table what it
   * has updated in another.
   */
  readonly runTransaction?: RunTransaction | undefined;
}

/** Runs statements in one transaction, in which each sees what was committed before it began. */
export type RunTransaction = <Result>(run: (query: Query) => Promise<Result>) => Promise<Result>;

/**
 * Creates the store of a table of PostgreSQL. A create is one statement for any number of records; what it does not store is found
 * by another one. A change is one that reads and one that updates. They work where Citus distributes the table, too.
 */
export function createPostgresqlStore<Fields>({
  query,
  table,
  transact,
  insert,
  changeNumbers,
  showsLog = false,
  historyDays = Number.POSITIVE_INFINITY,
  runTransaction,
}: PostgresqlStoreOptions<Fields>): RecordStore<Fields> {
  const {
    name,
    fields,
    fieldColumns,
    columns,
    changeColumns,
    historyColumns,
    historyName,
    stateColumns,
    erased,
    bytes,
    bytesOf,
    toRecord,
    toHistory,
    toState,
    toColumns,
  } = table;
  const selected = columns.join(', ');
  // What is found is going to be acknowledged, so it must be as durable as a commit.
  const findSqlOf = (selected: string) =>
    showsLog
      ? `SELECT ${selected} FROM ${name} WHERE id = ANY($1::bigint[]) AND ${durableOnceSql} IS NOT FALSE`
      : `SELECT ${selected}, ${durableColumnSql} FROM ${name} WHERE id = ANY($1::bigint[])`;
  const find = { sql: findSqlOf(selected), name: showsLog ? `find_${name}` : undefined };
  const historySql = findSqlOf([...columns, ...historyColumns].join(', '));
  const findForChangeSql = findSqlOf([...columns, ...changeColumns].join(', '));
  // Rows are locked in the order of their ids, so that two changes that share some wait for each other instead of deadlocking.
  // Citus forwards the statement, if all its ids are in one shard, as both parts say; otherwise it rejects it.
  const changed: readonly (readonly [string, string])[] = [
    ...fields.map(({ column, kind }) => [column, columnTypes.postgresql[kind]] as const),
    ...([
      ['original', 'text'],
      ['added_at', 'bigint'],
      ['deleted', 'boolean'],
      ['changed_at', 'bigint'],
    ] as const),
  ];
  const beforeOf = (column: string) => `"before$${column.replaceAll('"', '')}"`;
  const seq = changeNumbers?.ofTransaction ?? 'NULL';
  const changedColumns = changed.map(([column]) => column);
  const isAsBefore = changed
    .filter(([column]) => !['deleted', 'changed_at'].includes(column))
    .map(([column]) => `${name}.${column} IS NOT DISTINCT FROM change.${beforeOf(column)}`);
  // What a change has read is what its statement sees, unless the last change of the record is another one since: also one that has
  // changed it back. So the states that the statement sees are all of them.
  const isLastChange = changeColumns.map(
    (column) => `${name}.${column} IS NOT DISTINCT FROM change.last$${column}`,
  );
  const places = [
    ...['bigint', 'text'],
    ...[...changed, ...changed].map(([, type]) => type),
    ...changeColumns.map(() => 'bigint'),
  ].map((type, at) => `$${at + 1}::${type}[]`);
  const isErased = `(change.deleted OR change.before$deleted OR change.before$original IS NULL)`;
  const isKept = `(NOT change.deleted AND NOT change.before$deleted AND (${fieldColumns.map((column) => `change.${column} IS DISTINCT FROM change.${beforeOf(column)}`).join(' OR ')}))`;
  const withChange = `
    WITH change AS (
      SELECT * FROM unnest(${places.join(', ')})
        AS change (id, by$, ${[...changedColumns, ...changedColumns.map(beforeOf), ...changeColumns.map((column) => `last$${column}`)].join(', ')})
    ), found AS (
      SELECT id, ${seqColumn} AS number$, ${currentSql.since} AS since$, ${currentSql.by} AS doer$
      FROM ${name} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE
    )`;
  const updateSql = `
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
      AND ${isLastChange.join(' AND ')}
    RETURNING ${name}.id, found.number$, found.since$, found.doer$, ${isErased} AS erased$, ${isKept} AS kept$`;
  const time = `$${places.length + 1}::bigint`;
  const stateFields = [seqColumn, 'changed_at', 'changed_by', 'replaced_at', ...fieldColumns].join(', ');
  const keepSql = `, kept AS (
      INSERT INTO ${historyName} (id, revision, ${stateFields})
      SELECT id, (SELECT coalesce(max(revision), 0) + 1 FROM ${historyName} AS last WHERE last.id = changed.id), number$, since$, doer$,
        coalesce(change.changed_at, ${time}), ${fieldColumns.map((column) => `change.${beforeOf(column)}`).join(', ')}
      FROM changed JOIN change USING (id) WHERE kept$
    )`;
  const changeSql = `${withChange}, changed AS (${updateSql}), erased AS (
      DELETE FROM ${historyName} USING changed
      WHERE ${historyName}.id = ANY($1::bigint[]) AND ${historyName}.id = changed.id AND erased$
    )${historyDays === 0 ? '' : keepSql}
    SELECT id FROM changed`;
  const statesSql = `
    SELECT original IS NOT NULL AND NOT deleted, deleted,
      (SELECT coalesce(max(revision), 0) + 1 FROM ${historyName} AS last WHERE last.id = $1::bigint),
      ${currentSql.since}, NULL, ${currentSql.by}, ${fieldColumns.join(', ')}, ${durableColumnSql}
    FROM ${name} WHERE id = $1::bigint
    UNION ALL
    SELECT NULL, NULL, ${[...stateColumns, ...fieldColumns].join(', ')}, NULL FROM (
      SELECT *, sum(${bytes}) OVER part AS bytes$, row_number() OVER part AS place$ FROM ${historyName}
      WHERE id = $1::bigint AND revision < $2::bigint AND replaced_at >= $3::bigint
      WINDOW part AS (ORDER BY revision DESC) ORDER BY revision DESC LIMIT $4::bigint
    ) AS page WHERE bytes$ - (${bytes}) <= $5::bigint OR place$ = 2`;
  const oldSql = `
    SELECT id, replaced_at FROM (
      SELECT id, replaced_at, sum(${bytes}) OVER part AS bytes$, row_number() OVER part AS place$ FROM (
        SELECT * FROM ${historyName} WHERE replaced_at < $1::bigint ORDER BY replaced_at LIMIT ${removedStates.records}
      ) AS old WINDOW part AS (ORDER BY replaced_at, id, revision)
    ) AS part WHERE bytes$ <= ${removedStates.bytes} OR place$ = 1 ORDER BY replaced_at`;
  const removeOldSql = `
    DELETE FROM ${historyName} WHERE id = ANY($1::bigint[]) AND replaced_at < $2::bigint AND replaced_at <= $3::bigint`;
  const strayIdsSql = `
    SELECT DISTINCT id FROM ${historyName} WHERE $1::bigint IS NULL OR id > $1::bigint ORDER BY id LIMIT ${removedStates.records}`;
  const removeStraySql = `
    DELETE FROM ${historyName} WHERE id = ANY($1::bigint[]) AND NOT EXISTS (
      SELECT FROM ${name} WHERE ${name}.id = ${historyName}.id AND NOT deleted AND original IS NOT NULL
    )`;
  /** Ids are numbers, so they can be part of the statement, which Citus divides among nodes as it does no array. */
  const composeRetire = (ids: readonly bigint[]) => `
    INSERT INTO ${name} (id, deleted, changed_at, ${seqColumn}, ${fieldColumns.join(', ')})
    VALUES ${ids.map((id) => `((${id})::bigint, true, ${Date.now()}, ${seq}, ${fields.map((field) => literalOf(field, field.erased)).join(', ')})`).join(', ')}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  /** Runs a statement that returns ids. */
  async function writeIds(statement: Statement): Promise<ReadonlySet<bigint>> {
    return new Set((await query(statement)).map(([id]) => BigInt(String(id))));
  }

  async function findAll(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, StoredRecord<Fields>>> {
    if (ids.length === 0) return new Map();
    const rows = await query({ ...find, args: [ids] });
    return new Map(rows.map(toRecord).map((record) => [record.id, record]));
  }

  /** As `findAll`, with the number and the time of the last change. */
  async function findForChange(ids: readonly bigint[]) {
    const rows = await query({ sql: findForChangeSql, args: [ids] });
    return new Map(
      rows.map((row) => {
        const record = toRecord(row);
        return [
          record.id,
          { record, last: row.slice(columns.length, columns.length + changeColumns.length) },
        ];
      }),
    );
  }

  async function createAll(records: readonly Stored<Fields>[]): Promise<readonly CreateOutcome<Fields>[]> {
    const now = Date.now();
    const storedAs = ({ addedAt = now }: Stored<Fields>) => ({ stored: true, addedAt }) as const;
    const unclaimed = new Set(
      await writeIds(
        insert.compose(
          records.toSorted((a, b) => inOrder(a.id, b.id)),
          now,
        ),
      ),
    );
    if (unclaimed.size === records.length) return records.map(storedAs);
    // Of several records with the same new id, the first one was stored.
    const wasStored = records.map(({ id }) => unclaimed.delete(id));
    // What has an id may be changed, never freed, so it may be read after the insert.
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

  /** Replaces what is still as it was found, and returns the ids of that. */
  async function replaceAll(
    replacements: readonly {
      readonly before: StoredRecord<Fields> | undefined;
      readonly after: StoredRecord<Fields>;
      readonly by: string | undefined;
      readonly last: readonly unknown[];
    }[],
  ): Promise<ReadonlySet<bigint>> {
    const retired = replacements.filter(({ before }) => before === undefined).map(({ after }) => after.id);
    const written = new Set(
      retired.length === 0 ? [] : await writeIds({ sql: composeRetire(retired.toSorted(inOrder)) }),
    );
    const now = Date.now();
    const rows = replacements.flatMap(({ before, after, by = null, last }) =>
      before === undefined ? [] : [[after.id, by, ...valuesOf(after, now), ...valuesOf(before), ...last]],
    );
    const [first] = rows;
    if (first === undefined) return written;
    const args = first.map((_, column) => rows.map((row) => row[column]));
    const changedIds =
      runTransaction === undefined
        ? await writeIds({
            sql: changeSql,
            args: historyDays === 0 ? args : [...args, now],
            // To plan it takes longer than to run it.
            name: `change_${name}`,
          })
        : await runTransaction((run) => replaceInSteps(run, args, now, replacements));
    return new Set([...written, ...changedIds]);
  }

  /** Does in a transaction what `changeSql` does at once. */
  async function replaceInSteps(
    run: Query,
    args: readonly unknown[],
    now: number,
    replacements: readonly {
      readonly before: StoredRecord<Fields> | undefined;
      readonly after: StoredRecord<Fields>;
    }[],
  ): Promise<readonly bigint[]> {
    const replaced = await run({ sql: withChange + updateSql, args });
    const idsOf = (rows: typeof replaced) => rows.map(([id]) => BigInt(String(id)));
    const erasedIds = idsOf(replaced.filter((row) => row[4]));
    if (erasedIds.length > 0)
      await run({ sql: `DELETE FROM ${historyName} WHERE id = ANY($1::bigint[])`, args: [erasedIds] });
    const kept = historyDays === 0 ? [] : replaced.filter((row) => row[5]);
    if (kept.length > 0) {
      const lastSql = `SELECT id, max(revision) FROM ${historyName} WHERE id = ANY($1::bigint[]) GROUP BY id`;
      const last = new Map(
        (await run({ sql: lastSql, args: [idsOf(kept)] })).map(([id, revision]) => [id, revision]),
      );
      const beforeOfId = new Map(replacements.map(({ before, after }) => [String(after.id), before]));
      const types = [
        'bigint',
        'bigint',
        'bigint',
        'bigint',
        'text',
        'bigint',
        ...fields.map(({ kind }) => columnTypes.postgresql[kind]),
      ];
      // Citus finds the shards of values, but not of what `unnest` returns.
      const values = kept.map(
        (_, row) => `(${types.map((type, at) => `$${row * types.length + at + 1}::${type}`).join(', ')})`,
      );
      await run({
        sql: `INSERT INTO ${historyName} (id, revision, ${stateFields}) VALUES ${values.join(', ')}`,
        args: kept.flatMap(([id, number, since, by]) => [
          ...[id, Number(last.get(id) ?? 0) + 1, number, since, by, now],
          ...toColumns(beforeOfId.get(String(id)) as Fields),
        ]),
      });
    }
    return idsOf(replaced);
  }

  /**
   * Reads what has the ids, and replaces it if it is still the same; otherwise again, as well as further changes of one id.
   *
   * @returns a function that does so, or goes on with what is left if it has failed: what has taken place would be another outcome then
   */
  function createChanging(
    changes: readonly Change<Fields>[],
  ): () => Promise<readonly ChangeOutcome<Fields>[]> {
    const outcomes: ChangeOutcome<Fields>[] = [];
    const tried = new Map<number, { readonly before: unknown; readonly times: number }>();
    let left = changes.map((change, at) => ({ change, at }));
    const changeSome = async () => {
      const found = await findForChange([...new Set(left.map(({ change }) => change.id))]);
      const first = new Map(left.toReversed().map((entry) => [entry.change.id, entry]));
      const replacements = [...first.values()].flatMap(({ change, at }) => {
        const { record: before, last = [] } = found.get(change.id) ?? {};
        const after = change.replace(before);
        // Until it has taken place.
        outcomes[at] = { before, after: undefined };
        if (after === undefined) return [];
        return [{ before, after, by: change.by, last, at }];
      });
      const replaced = await replaceAll(replacements);
      const again = new Set<number>();
      for (const { before, after, at } of replacements) {
        if (replaced.has(after.id)) {
          outcomes[at] = { before, after };
          continue;
        }
        again.add(at);
        const last = tried.get(at);
        const times = last !== undefined && isDeepStrictEqual(last.before, before) ? last.times + 1 : 1;
        if (times === maxSkips) throw new Error(`The record ${after.id} was not changed`);
        tried.set(at, { before, times });
      }
      left = left.filter(({ change, at }) => again.has(at) || first.get(change.id)?.at !== at);
    };
    return async () => {
      while (left.length > 0) await changeSome();
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
    change: (changes) => transact(createChanging(changes)),
    listChanges: (after, limits) => transact(async () => changes().listChanges(after, limits)),
    lastChange: () => transact(async () => changes().lastChange()),
    find: (ids) => transact(async () => [...(await findAll(ids)).values()]),
    findHistory: (ids) =>
      transact(async () => (await query({ sql: historySql, args: [ids] })).map(toHistory)),
    listStates: (id, before, limits) =>
      transact(async () => {
        const args = [
          ...[id, before ?? Number.MAX_SAFE_INTEGER, keptSince(Date.now(), historyDays)],
          ...[limits.matches + 1, limits.bytes],
        ];
        const rows = await query({ sql: statesSql, args });
        const current = rows.find(([wasUpdated]) => wasUpdated !== null);
        if (current === undefined || current[1]) return undefined;
        // What was never updated has no states: they would be those of another record.
        const replaced = current[0] ? rows.filter((row) => row !== current) : [];
        const states = [...(before === undefined ? [current] : []), ...replaced]
          .map((row) => toState(row.slice(2)))
          .sort((a, b) => b.revision - a.revision);
        return pageOfStates(states, bytesOf, limits);
      }),
    async removeOldStates() {
      if (historyDays === Number.POSITIVE_INFINITY) return false;
      return transact(async () => {
        const since = keptSince(Date.now(), historyDays);
        const old = await query({ sql: oldSql, args: [since] });
        if (old.length === 0) return false;
        const ids = [...new Set(old.map(([id]) => id))];
        await query({ sql: removeOldSql, args: [ids, since, old.at(-1)?.[1]] });
        return true;
      });
    },
    removeStrayStates: (after) =>
      transact(async () => {
        const rows = await query({ sql: strayIdsSql, args: [after ?? null] });
        const ids = rows.map(([id]) => id);
        if (ids.length > 0) await query({ sql: removeStraySql, args: [ids] });
        return ids.length === 0 ? undefined : BigInt(String(ids.at(-1)));
      }),
    list: (list, limits) =>
      transact(async () => {
        const page = await listPage?.(list, limits);
        if (page !== undefined) return page;
        const { ids, last } = await listIds(query, table, list, limits);
        const found = await findAll(ids);
        // One may have been removed since its id was read.
        return { records: withoutTombstones(ids.flatMap((id) => found.get(id) ?? [])), last };
      }),
    countValues: (field, after, limits) =>
      transact(() =>
        countValues(query, table, { field, after, isDistributed: changeNumbers === undefined }, limits),
      ),
    // Sizes come first: PostgreSQL measures texts without reading them, and each shard would send as many as a page may have.
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

/** In the order of their ids two inserts that share some wait for each other instead of deadlocking. */
const inOrder = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * How often what a change has read is not replaced, and is still the same: a trigger may skip a row silently, and others may change
 * it forth and back meanwhile.
 */
const maxSkips = 100;

/**
 * An insert with an array for each column, so that the statement is the same for any number of records.
 *
 * @param seq SQL for the number of what it changes among all changes
 */
export function createInsert<Fields>(
  { name, fields, fieldColumns, toColumns }: Table<Fields>,
  seq = 'NULL::bigint',
): InsertStatement<Fields> {
  const types = ['bigint', ...fields.map(({ kind }) => columnTypes.postgresql[kind]), 'text'];
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const time = `$${types.length + 1}::bigint`;
  const columns = ['id', ...fieldColumns, 'added_by', 'added_at', seqColumn].join(', ');
  const sqlOf = (from: string) => `
    INSERT INTO ${name} (${columns}) SELECT ${from} ON CONFLICT (id) DO NOTHING RETURNING id`;
  const withTimeOfAll = sqlOf(`*, ${time}, ${seq} FROM unnest(${arrays})`);
  /** As an import has them. */
  const withTimes = sqlOf(`*, ${seq} FROM unnest(${arrays}, ${time}[])`);
  return {
    compose(records, now) {
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
    },
  };
}
