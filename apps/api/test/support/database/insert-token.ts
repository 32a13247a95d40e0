import { scopes } from '@plant-store/contract/access-token';
import { generateAccessToken, hashAccessToken } from '../../../src/auth/token-service.js';
import type { DatabaseLocation } from '../../../src/store/database-location.js';
import { connectionSettings, withConnection } from '../../../src/store/postgresql/connection.js';
import { withSqlite } from './open-sqlite-file.js';

const timeoutMs = 60_000;

/** Stores an access token, and returns its text; unlike the service without Prisma's client, which takes a while to load. */
export async function insertToken(location: DatabaseLocation): Promise<string> {
  const text = generateAccessToken();
  const createdAt = new Date().toISOString().replace('Z', '+00:00');
  const sql = `INSERT INTO access_tokens (name, hash, scopes, created_at)
    VALUES ('test', '${hashAccessToken(text)}', '${scopes}', '${createdAt}')`;
  if (location.engine === 'postgresql') {
    // A short timeout of the settings is for what the test does, not for this.
    const settings = connectionSettings({ ...location, statementTimeoutMs: timeoutMs }, timeoutMs);
    await withConnection(settings, (connection) => connection.query(sql));
  } else {
    withSqlite(location.path, (connection) => connection.exec(sql), { timeout: timeoutMs });
  }
  return text;
}
