import type { Pool } from 'pg';
import type { TokenUse } from '../../auth/access-token-store.js';

/**
 * One statement, and thus one transaction with a pooler, too. Its commit waits neither for the disk nor for a standby, and it
 * waits for no row: one that another instance is just updating gets about the same time from it.
 */
const update = `
  WITH asynchronous AS (SELECT set_config('synchronous_commit', 'off', true)),
  use AS (SELECT * FROM unnest($1::int[], $2::timestamptz[]) AS use (id, at)),
  token AS (
    SELECT access_tokens.id, use.at FROM asynchronous, use JOIN access_tokens USING (id)
    WHERE last_used_at IS NULL OR last_used_at < use.at
    FOR NO KEY UPDATE OF access_tokens SKIP LOCKED
  )
  UPDATE access_tokens SET last_used_at = token.at FROM token WHERE access_tokens.id = token.id`;

/** Stores when tokens were used, without waiting for the disk, a standby or another instance. */
export async function recordUses(pool: Pool, uses: readonly TokenUse[]): Promise<void> {
  await pool.query(update, [uses.map(({ id }) => id), uses.map(({ at }) => at)]);
}
