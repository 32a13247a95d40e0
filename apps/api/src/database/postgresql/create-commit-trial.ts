import type { Pool } from 'pg';

/**
 * Stores a plant and takes it back, then writes to the log and commits: whatever keeps a plant from being stored keeps
 * this from succeeding, be it a lock, a trigger, a right, a full disk or a standby that is missing. In one statement, so
 * that a pooler may hand on the connection after it.
 */
const trial = `
  DO $$
  BEGIN
    BEGIN
      INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
      RAISE EXCEPTION USING ERRCODE = 'PS000';
    EXCEPTION WHEN SQLSTATE 'PS000' THEN NULL;
    END;
    PERFORM pg_logical_emit_message(true, 'plant-store', '');
  END $$`;

/**
 * Makes a function that tries whether a plant would be stored and commits. While one trial waits, as for a standby, all
 * who ask wait for that one, so that trials never take more than one connection.
 */
export function createCommitTrial(pool: Pool): () => Promise<void> {
  let trying: Promise<void> | undefined;
  return function tryCommit() {
    trying ??= pool.query(trial).then(
      () => {
        trying = undefined;
      },
      (error: unknown) => {
        trying = undefined;
        throw error;
      },
    );
    return trying;
  };
}
