import type { Plant } from '@plant-store/contract';
import type { Pool } from 'pg';
import type { PlantStore } from '../../../plants/plant-store.js';
import type { BatchInsert } from '../../batcher.js';
import type { DatabaseLog } from '../../database.js';
import type { QueryWrapper } from '../../queries.js';
import { createProbeCommit } from '../probe-commit.js';
import type { TableAccess } from '../single-table.js';
import { distributedTable, nameStatement } from './distributed-table.js';
import { insertByNode } from './insert-by-node.js';
import { findIdOn, locate } from './nodes.js';
import { type NodeWatch, watchNodes } from './watch-nodes.js';

export { nameStatement };

/** How many inserts are in flight: each waits for several servers, one after the other. */
export const concurrentInserts = 4;

/** What plants need that Citus distributes, besides a store. */
interface Citus {
  readonly table: TableAccess<Plant>;
  readonly watch: NodeWatch;
  /** See `insertByNode`. */
  readonly divide: (insert: PlantStore['insert']) => BatchInsert;
}

/** @throws {OperatorError} when a node would acknowledge plants before they are on its disk */
export async function openCitus(pool: Pool, runQuery: QueryWrapper, log: DatabaseLog): Promise<Citus> {
  const probeCommit = createProbeCommit(pool);
  const watch = await watchNodes({
    ...{ pool, log },
    async probeNode(node) {
      const id = await findIdOn(pool, node);
      if (id !== undefined) await probeCommit({ id, node });
    },
  });
  const divide = insertByNode({ watch, locate: (ids) => runQuery(() => locate(pool, ids)) });
  const requireUsable = async (ids: readonly bigint[]) => {
    if (!watch.areAllUsable()) await watch.requireUsable(new Set((await locate(pool, ids)).values()));
  };
  return {
    ...{ watch, divide },
    table: {
      ...distributedTable,
      async insert(connections, records) {
        await requireUsable(records.map(({ id }) => id));
        return distributedTable.insert(connections, records);
      },
      async find(connections, ids) {
        await requireUsable(ids);
        return distributedTable.find(connections, ids);
      },
    },
  };
}
