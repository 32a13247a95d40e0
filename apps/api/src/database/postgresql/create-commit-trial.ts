import type { Pool } from 'pg';
import { confirmDurable } from './durable-reading.js';
import { findDriverError, isRefused } from './errors/driver-error.js';

/** Stores a plant and takes it back. In one message, so that a pooler may hand on the connection after it. */
const insertTrial = `
  BEGIN;
  INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
  ROLLBACK`;

/**
 * Makes a function that tries whether a plant would be stored and commits: whatever keeps all plants from being stored
 * keeps this from succeeding, be it a lock, a right, a full disk or a standby that is missing. A plant that a constraint
 * or trigger of the operator's refuses passes: the database has answered. While one trial waits, as for a standby, all
 * callers that ask wait for that one, so that trials never take more than one connection.
 */
export function createCommitTrial(pool: Pool): () => Promise<void> {
  let trying: Promise<void> | undefined;
  return function tryCommit() {
    trying ??= tryOnce(pool).finally(() => {
      trying = undefined;
    });
    return trying;
  };
}

async function tryOnce(pool: Pool): Promise<void> {
  try {
    await pool.query(insertTrial);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRefused(serverError)) throw error;
  }
  // It writes to the log and commits.
  await pool.query(confirmDurable);
}
