import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import {
  type CreateOutcome,
  isTombstone,
  type RemoveOutcome,
  type Store,
  type Stored,
  type StoredRecord,
  stored,
  withoutTombstones,
} from '../store.js';
import { integer, integers, type QueryWrapper, readPages, type Table, texts as textList } from '../table.js';
import { listIds } from './list-ids.js';
import { durableColumnSql } from './probe-commit.js';

/** How records are inserted by one statement, which returns the ids of those that it has stored. */
export interface InsertStatement<Resource> {
  /** @param records in the order of their ids */
  compose(records: readonly Stored<Resource>[]): SqlQuery;
  /** The name under which each connection keeps the plan of a query, if it is one that runs all the time; others have an empty one. */
  nameOf(query: SqlQuery): string;
}

/** What a store of PostgreSQL works with. */
export interface PostgresqlStoreOptions<Resource> {
  readonly connections: SqlDriverAdapter;
  readonly table: Table<Resource>;
  /** Runs a transaction, which is a statement or idempotent; see `createRunQuery`. */
  readonly transact: QueryWrapper;
  readonly insert: InsertStatement<Resource>;
}

/**
 * Creates the store of a table of PostgreSQL. A create or a removal is one statement for any number of records; what it does not
 * change is found by another one. They work where Citus distributes the table, too.
 */
export function createPostgresqlStore<Resource>({
  connections,
  table,
  transact,
  insert,
}: PostgresqlStoreOptions<Resource>): Store<Resource> {
  const { name, columns, required, erased, bytes, toRecord } = table;
  const selected = columns.join(', ');
  // What is found is going to be acknowledged, so it must be as durable as a commit.
  const findSql = `SELECT ${selected}, ${durableColumnSql} FROM ${name} WHERE id = ANY($1::bigint[])`;
  const setErased = `SET ${erased.join(', ')}, deleted = true`;
  // Rows are locked in the order of their ids, so that two removals that share some wait for each other instead of deadlocking.
  // Citus forwards the statement, if all its ids are in one shard, as both parts say; otherwise it rejects it.
  const removeSql = `
    WITH found AS (SELECT id, deleted FROM ${name} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE),
    removed AS (
      UPDATE ${name} ${setErased} FROM found
      WHERE ${name}.id = ANY($1::bigint[]) AND ${name}.id = found.id AND NOT found.deleted RETURNING ${name}.id
    )
    SELECT found.id, found.deleted, removed.id FROM found LEFT JOIN removed USING (id)`;
  /** Ids are numbers, so they can be part of the statement, which Citus divides among nodes as it does no array. */
  const composeRetire = (ids: readonly bigint[]) => `
    INSERT INTO ${name} (id, deleted, ${required.join(', ')})
    VALUES ${ids.map((id) => `((${id})::bigint, true${", ''".repeat(required.length)})`).join(', ')}
    ON CONFLICT (id) DO UPDATE ${setErased} WHERE NOT ${name}.deleted RETURNING id`;
  const runSql = async (sql: string) =>
    (await transact(() => connections.queryRaw({ sql, args: [], argTypes: [] }))).rows;

  /**
   * Runs a statement that returns ids, and empties its list of values once it is over: Prisma's driver adapters keep the last 100
   * queries in memory for a debug log, enabled or not; with the plants of 100 commits that could be hundreds of megabytes.
   */
  async function writeIds(query: SqlQuery): Promise<ReadonlySet<bigint>> {
    try {
      const { rows } = await connections.queryRaw(query);
      return new Set(rows.map(([id]) => BigInt(String(id))));
    } finally {
      query.args.length = 0;
    }
  }

  async function findAll(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, StoredRecord<Resource>>> {
    if (ids.length === 0) return new Map();
    const { rows } = await connections.queryRaw({ sql: findSql, args: [ids], argTypes: [integers] });
    return new Map(rows.map(toRecord).map((record) => [record.id, record]));
  }

  async function createAll(
    records: readonly Stored<Resource>[],
  ): Promise<readonly CreateOutcome<Resource>[]> {
    const unclaimed = new Set(await writeIds(insert.compose(records.toSorted(byId))));
    if (unclaimed.size === records.length) return records.map(() => stored);
    // Of several records with the same new id, the first one was stored.
    const wasStored = records.map(({ id }) => unclaimed.delete(id));
    // What has an id never changes but once, when it is removed, so it may be read after the insert.
    const taken = await findAll([...new Set(records.filter((_, at) => !wasStored[at]).map(({ id }) => id))]);
    return records.map(({ id }, at) => {
      if (wasStored[at]) return stored;
      const existing = taken.get(id);
      // A trigger may skip a row silently.
      if (existing === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
      return { stored: false, existing };
    });
  }

  async function removeAll(ids: readonly bigint[]): Promise<readonly RemoveOutcome[]> {
    const { rows } = await connections.queryRaw({ sql: removeSql, args: [ids], argTypes: [integers] });
    const found = new Map<bigint, RemoveOutcome>();
    for (const [digits, wasRemoved, removed] of rows) {
      const id = BigInt(String(digits));
      if (!wasRemoved && removed === null) throw notRemoved(id);
      found.set(id, wasRemoved ? 'removed_before' : 'removed');
    }
    return toRemoveOutcomes(ids, (id) => found.get(id) ?? 'unknown');
  }

  /** Removes what has the ids, and takes those that nothing ever had. */
  async function retireAll(ids: readonly bigint[]): Promise<readonly RemoveOutcome[]> {
    const inOrder = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
    const removed = await writeIds({ sql: composeRetire(inOrder), args: [], argTypes: [] });
    const others = await findAll(inOrder.filter((id) => !removed.has(id)));
    return toRemoveOutcomes(ids, (id) => {
      if (removed.has(id)) return 'removed';
      const other = others.get(id);
      if (other === undefined || !isTombstone(other)) throw notRemoved(id);
      return 'removed_before';
    });
  }

  return {
    async create(records) {
      if (records.length === 0) return [];
      return transact(() => createAll(records));
    },
    async remove(ids, retire = false) {
      if (ids.length === 0) return [];
      return transact(() => (retire ? retireAll(ids) : removeAll(ids)));
    },
    find: (ids) => transact(async () => [...(await findAll(ids)).values()]),
    list: (query, limits) =>
      transact(async () => {
        const { ids, last } = await listIds(connections, table, query, limits);
        const found = await findAll(ids);
        // One may have been removed since its id was read.
        return { plants: withoutTombstones(ids.flatMap((id) => found.get(id) ?? [])), last };
      }),
    // Sizes come first: PostgreSQL measures texts without reading them, and each shard would send as many as a page may have.
    read: (after, limits) =>
      readPages(async (last) => {
        const rest = last === undefined ? '' : `WHERE id > ${last}`;
        const sizes = await runSql(
          `SELECT id, ${bytes} FROM ${name} ${rest} ORDER BY id LIMIT ${limits.plants}`,
        );
        let total = 0;
        const page = sizes.filter(([, size], place) => {
          total += Number(size);
          return place === 0 || total <= limits.bytes;
        });
        const [first, end] = [page[0]?.[0], page.at(-1)?.[0]];
        if (first === undefined) return [];
        const rows = await runSql(
          `SELECT ${selected} FROM ${name} WHERE id BETWEEN ${first} AND ${end} ORDER BY id`,
        );
        return rows.map(toRecord);
      }, after),
  };
}

/** In the order of their ids two inserts that share some wait for each other instead of deadlocking. */
const byId = (a: { readonly id: bigint }, b: { readonly id: bigint }) =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/** The outcome of each id in order, of which only the first one removes what has it. */
function toRemoveOutcomes(
  ids: readonly bigint[],
  outcomeOf: (id: bigint) => RemoveOutcome,
): readonly RemoveOutcome[] {
  const seen = new Set<bigint>();
  return ids.map((id) => {
    const outcome = outcomeOf(id);
    const isAgain = seen.has(id);
    seen.add(id);
    return isAgain && outcome === 'removed' ? 'removed_before' : outcome;
  });
}

/** A trigger may skip a row silently. */
const notRemoved = (id: bigint) => new Error(`The record ${id} was not removed`);

/** An insert with an array for each column, so that the statement is the same for any number of records. */
export function createInsert<Resource>({ name, texts, toTexts }: Table<Resource>): InsertStatement<Resource> {
  const arrays = ['$1::bigint[]', ...texts.map((_, index) => `$${index + 2}::text[]`)].join(', ');
  const time = `$${texts.length + 2}::bigint`;
  const sqlOf = (from: string) => `
    INSERT INTO ${name} (${['id', ...texts, 'added_at'].join(', ')}) SELECT ${from} ON CONFLICT (id) DO NOTHING RETURNING id`;
  const withTimeOfAll = sqlOf(`*, ${time} FROM unnest(${arrays})`);
  /** As an import has them. */
  const withTimes = sqlOf(`* FROM unnest(${arrays}, ${time}[])`);
  const textTypes = texts.map(() => textList);
  return {
    compose(records) {
      const now = Date.now();
      const haveTimes = records.some(({ addedAt }) => addedAt !== undefined);
      const rows = records.map(toTexts);
      return {
        sql: haveTimes ? withTimes : withTimeOfAll,
        args: [
          records.map(({ id }) => id),
          ...texts.map((_, at) => rows.map((row) => row[at])),
          haveTimes ? records.map(({ addedAt = now }) => addedAt) : now,
        ],
        argTypes: [integers, ...textTypes, haveTimes ? integers : integer],
      };
    },
    nameOf: ({ sql }) => (sql === withTimeOfAll ? `insert_${name}` : ''),
  };
}
