import type { Plant } from '@plant-store/contract';
import type { Pool } from 'pg';
import { ServiceError } from '../../../errors/service-error.js';
import type { PlantStore } from '../../../plants/plant-store.js';
import type { BatchInsert } from '../../batcher.js';
import type { DatabaseLog } from '../../database.js';
import type { QueryWrapper } from '../../queries.js';
import { createProbeCommit } from '../probe-commit.js';
import type { TableAccess } from '../single-table.js';
import { distributedTable, nameStatement } from './distributed-table.js';
import { insertByNode } from './insert-by-node.js';
import { findIdOn, locate, unreached } from './nodes.js';
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
  return {
    ...{ watch, divide },
    table: {
      ...distributedTable,
      async find(connections, ids) {
        const groups = watch.areAllUsable() ? [] : new Set((await locate(pool, ids)).values());
        for (const group of groups) {
          const problem = await watch.findProblem(group);
          // 55000 is object_not_in_prerequisite_state: the request can be retried.
          if (problem !== undefined) throw unreached('55000', problem.message);
        }
        return distributedTable.find(connections, ids);
      },
    },
  };
}

/** Makes of an insert that may refuse some plants alone one that succeeds or fails as a whole. */
export function insertAll(insert: BatchInsert): PlantStore['insert'] {
  return async (records) => {
    const outcomes = await insert(records);
    return outcomes.map((outcome) => {
      if (outcome instanceof ServiceError) throw outcome;
      return outcome;
    });
  };
}
