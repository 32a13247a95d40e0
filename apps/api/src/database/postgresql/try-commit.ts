import type { ClientBase, Pool } from 'pg';
import { confirmDurable } from './durable-read.js';
import { findDriverError, isRowRejected } from './errors/driver-error.js';

/** Inserts a plant and rolls back, in one message, so that it also works with a pooler in transaction mode. */
const insertTrial = `
  BEGIN;
  INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
  ROLLBACK`;

/**
 * Creates a function that tests whether plants can be stored, and commits: it fails whenever no plant can be stored,
 * for example because of a lock, a missing privilege, a full disk or a missing standby. It succeeds when a constraint
 * or trigger of the operator rejects the test plant, since the database has answered. Concurrent calls share one trial,
 * which may wait long for a standby, so that trials never take more than one connection.
 */
export function createTryCommit(pool: Pool): () => Promise<void> {
  let trial: Promise<void> | undefined;
  return function tryCommit() {
    trial ??= runTrial(pool).finally(() => {
      trial = undefined;
    });
    return trial;
  };
}

async function runTrial(pool: Pool): Promise<void> {
  await tryInsert(pool);
  // This writes to the write-ahead log and commits.
  await pool.query(confirmDurable);
}

/** Inserts a plant and rolls back; succeeds when a constraint or trigger of the operator rejects it. */
export async function tryInsert(connection: Pick<ClientBase | Pool, 'query'>): Promise<void> {
  try {
    await connection.query(insertTrial);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRowRejected(serverError)) throw error;
  }
}
