import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import type { DatabaseLog } from '../../database.js';
import type { QueryWrapper } from '../../queries.js';
import type { Store } from '../../store.js';
import type { Table } from '../../table.js';
import { createPostgresqlStore, type InsertStatement } from '../postgresql-store.js';
import { createProbeCommit } from '../probe-commit.js';
import { createInsertOfValues, readDistributed } from './distributed-table.js';
import { findIdOn, locate } from './nodes.js';
import { type NodeWatch, watchNodes } from './watch-nodes.js';
import { createWriteByNode } from './write-by-node.js';

/** How many commits are in flight: each waits for several servers, one after the other. */
export const concurrentCommits = 4;

/** A table that Citus distributes. */
interface DistributedTable<Resource> {
  readonly insert: InsertStatement<Resource>;
  readonly watch: NodeWatch;
  createStore(connections: SqlDriverAdapter): Store<Resource>;
}

/** @throws {OperatorError} when a node would acknowledge plants before they are on its disk */
export async function openCitus<Resource>(
  pool: Pool,
  table: Table<Resource>,
  transact: QueryWrapper,
  log: DatabaseLog,
): Promise<DistributedTable<Resource>> {
  const probeCommit = createProbeCommit(pool);
  const watch = await watchNodes({
    ...{ pool, log },
    async probeNode(node) {
      const id = await findIdOn(pool, node);
      if (id !== undefined) await probeCommit({ id, node });
    },
  });
  const insert = createInsertOfValues(table);
  const writeByNode = createWriteByNode({ watch, locate: (ids) => transact(() => locate(pool, ids)) });
  return {
    ...{ insert, watch },
    createStore(connections) {
      const store = createPostgresqlStore({
        ...{ connections, table, transact, insert, isDistributed: true },
        async beforeAccess(ids) {
          if (!watch.areAllUsable()) await watch.requireUsable(new Set((await locate(pool, ids)).values()));
        },
      });
      return {
        ...store,
        create: writeByNode(store.create, ({ id }) => id),
        remove: (ids, retire) =>
          writeByNode(
            (some: readonly bigint[]) => store.remove(some, retire),
            (id) => id,
          )(ids),
        read: (after, limits) => readDistributed(connections, table, transact, after, limits),
      };
    },
  };
}
