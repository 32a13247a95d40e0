import { internalError, ServiceError } from '@plant-store/records';
import type { Pool } from 'pg';
import { type DatabaseLog, isDatabaseUnavailable } from '../../database.js';
import type { RecordStore } from '../../store.js';
import { columnTypes, type Table } from '../../table.js';
import type { InsertStatement } from '../postgresql-store.js';

import { type NodeWatch, type Shard, watchNodes } from './nodes.js';

/** How many batches are in flight: each has a statement for each of its shards. */
export const concurrentCommits = 3;

/**
 * Watches the nodes of a Citus cluster, and makes of a store on PostgreSQL one that commits on each shard by itself, and refuses only
 * those records whose node is away.
 *
 * @throws {OperatorError} when a node would acknowledge records before they are on its disk
 */
export async function openCitus(
  pool: Pool,
  log: DatabaseLog,
  tables: readonly Table[],
): Promise<{ readonly watch: NodeWatch; readonly writeByShard: (store: RecordStore) => RecordStore }> {
  const watch = await watchNodes(pool, log, tables);
  const writeByShard = createWriteByShard(watch);
  return {
    watch,
    writeByShard: (store) => ({
      ...store,
      create: writeByShard(store.create, ({ id }) => id),
      change: writeByShard(store.change, ({ id }) => id),
      // A node that hangs would keep the connections that other statements need.
      async find(ids) {
        for (const group of new Set(ids.map((id) => watch.locate(id)?.group))) {
          const refusal = watch.refusalOf(group);
          if (refusal !== undefined) throw refusal;
        }
        return store.find(ids);
      },
    }),
  };
}

type Outcomes<Outcome> = readonly (Outcome | ServiceError)[];

/** Writes items in one statement, such as `Store.create`. */
type WriteAll<Item, Outcome> = (items: readonly Item[]) => Promise<Outcomes<Outcome>>;

/**
 * Creates a function that makes of a write, which succeeds or fails as a whole, one with a statement for each shard, all at the
 * same time. Citus forwards such a statement to the node as it is, where it commits alone: one over several shards takes a
 * two-phase commit, whatever node they are on, and fails with any of their nodes. Where shards were moved or split since they
 * were read, it is that; see `readNodes`.
 */
export function createWriteByShard(watch: Pick<NodeWatch, 'locate' | 'refusalOf' | 'checkAll'>) {
  return function writeByShard<Item, Outcome>(
    writeAll: WriteAll<Item, Outcome>,
    idOf: (item: Item) => bigint,
  ): WriteAll<Item, Outcome> {
    async function write(items: readonly Item[], shard: Shard | undefined): Promise<Outcomes<Outcome>> {
      const refusal = watch.refusalOf(shard?.group);
      if (refusal !== undefined) return items.map(() => refusal);
      try {
        return await writeAll(items);
      } catch (error) {
        if (isDatabaseUnavailable(error)) await watch.checkAll();
        else if (items.length > 1 && !(error instanceof ServiceError))
          // One of them is rejected.
          return (await Promise.all(items.map((item) => write([item], shard)))).flat();
        return items.map(() => (error instanceof ServiceError ? error : internalError(error)));
      }
    }

    return async (items) => {
      const shards = items.map((item) => watch.locate(idOf(item)));
      const written = [...Map.groupBy(items, (_, at) => shards[at])].map(
        async ([shard, part]) => [shard, (await write(part, shard)).values()] as const,
      );
      const outcomes = new Map(await Promise.all(written));
      return shards.map((shard) => outcomes.get(shard)?.next().value ?? missing);
    };
  };
}

const missing = internalError(new Error('The store returned no outcome'));

/** The most rows whose statement is prepared: of larger batches that costs more than it saves. */
const preparedRows = 64;

/** An insert with a list of values: Citus finds the shards of these, but not of what `unnest` returns. */
export function createInsertOfValues<Fields>({
  name,
  fields,
  fieldColumns,
  toColumns,
}: Table<Fields>): InsertStatement<Fields> {
  const types = ['bigint', ...fields.map(({ kind }) => columnTypes.postgresql[kind]), 'text', 'bigint'];
  const start = `INSERT INTO ${name} (${['id', ...fieldColumns, 'added_by', 'added_at']}) VALUES`;
  const valuesOf = (_: unknown, row: number) =>
    `(${types.map((type, at) => `$${types.length * row + at + 1}::${type}`)})`;
  return {
    compose(records, now) {
      const isPrepared = records.length <= preparedRows;
      return {
        sql: `${start} ${records.map(valuesOf)} ON CONFLICT (id) DO NOTHING RETURNING id`,
        args: records.flatMap((record) => {
          const { id, addedAt = now, addedBy = null } = record;
          return [id, ...toColumns(record), addedBy, addedAt];
        }),
        name: isPrepared ? `insert_${records.length}_${name}` : undefined,
      };
    },
  };
}
