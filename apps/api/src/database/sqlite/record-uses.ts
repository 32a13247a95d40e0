import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { TokenUse } from '../../auth/access-token-store.js';
import { text } from '../queries/query-arguments.js';

/**
 * The settings of the connection. In WAL mode `NORMAL` syncs nothing at a commit, and the next one of a plant syncs this one,
 * too. By default SQLite would move a long log into the database here, and hold up creates for as long.
 */
const pragmas = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0';

/** Times have the format in which Prisma's driver adapter stores them, and so they compare as text. */
const update = `
  UPDATE access_tokens SET last_used_at = use.at
  FROM (SELECT value ->> 'id' AS id, value ->> 'at' AS at FROM json_each(?)) AS use
  WHERE access_tokens.id = use.id AND (last_used_at IS NULL OR last_used_at < use.at)`;

/**
 * Stores when tokens were used, in one commit that does not wait for the disk, on a separate connection: it must not become
 * part of another transaction, nor change the settings of the connection of the plants.
 *
 * @param factory creates connections that do not change the settings of the file
 */
export async function recordUses(factory: SqlDriverAdapterFactory, uses: readonly TokenUse[]): Promise<void> {
  const connection = await factory.connect();
  try {
    await connection.executeScript(pragmas);
    const stored = uses.map(({ id, at }) => ({ id, at: at.toISOString().replace('Z', '+00:00') }));
    await connection.executeRaw({ sql: update, args: [JSON.stringify(stored)], argTypes: [text] });
  } finally {
    await connection.dispose();
  }
}
