import type { ClientBase, Pool } from 'pg';
import type { CommitTrial } from '../../plants/commit-health.js';
import type { DestinationGroup } from '../../plants/routing.js';
import { confirmDurable, withDurable } from './durable-read.js';
import { findDriverError, isRowRejected } from './errors.js';

/** The id of the test plant of a store with one destination. */
const trialId = -9_223_372_036_854_775_808n;

/** Inserts a plant and rolls back, in one message, so that it also works with a pooler in transaction mode. */
const insertTrial = (id: bigint) => `
  BEGIN;
  INSERT INTO plants (id, name) VALUES (${id}, 'trial') ON CONFLICT (id) DO NOTHING;
  ROLLBACK`;

/**
 * Confirms that reads are durable as `confirmDurable` does, on the server that has the plant with this id: Citus sends a
 * statement that reads one shard to its worker as a whole. With a join it would write on the coordinator instead.
 */
const confirmDurableOf = `${withDurable} SELECT (SELECT count(*) FROM plants WHERE id = $1) FROM durable`;

/** A trial in flight. */
interface RunningTrial {
  readonly id: bigint | undefined;
  readonly result: Promise<void>;
}

/**
 * Creates a function that tests whether plants can be stored, and commits: it fails whenever no plant can be stored,
 * for example because of a lock, a missing privilege, a full disk or a missing standby. It succeeds when a constraint
 * or trigger of the operator rejects the test plant, since the database has answered. Concurrent calls for the same id
 * share one trial, which may wait long for a standby; another one of its group fails meanwhile, so that the trials of a
 * group never take more than one connection.
 */
export function createTryCommit(pool: Pool): (trial?: CommitTrial) => Promise<void> {
  const running = new Map<DestinationGroup | undefined, RunningTrial>();
  return async function tryCommit(trial) {
    const { id, group } = trial ?? {};
    const current = running.get(group);
    if (current === undefined) {
      const result = runTrial(pool, id).finally(() => running.delete(group));
      running.set(group, { id, result });
      return result;
    }
    if (current.id === id) return current.result;
    throw new Error('timeout exceeded: an earlier trial commit has not ended');
  };
}

async function runTrial(pool: Pool, id: bigint | undefined): Promise<void> {
  await tryInsert(pool, id);
  // This writes to the write-ahead log and commits.
  await (id === undefined ? pool.query(confirmDurable) : pool.query(confirmDurableOf, [id]));
}

/** Inserts a plant and rolls back; succeeds when a constraint or trigger of the operator rejects it. */
export async function tryInsert(
  connection: Pick<ClientBase | Pool, 'query'>,
  id: bigint = trialId,
): Promise<void> {
  try {
    await connection.query(insertTrial(id));
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRowRejected(serverError)) throw error;
  }
}
