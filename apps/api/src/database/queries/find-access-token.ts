import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { AccessToken } from '../../auth/access-token-store.js';
import { text } from './query-arguments.js';

/**
 * Finds an access token by the SHA-256 of its text, on a connection of Prisma's driver adapter. Requests need no more
 * of Prisma than this, and loading its client with the query compiler would take longer than the rest of the first
 * request.
 *
 * @param parameter the placeholder of the first parameter in the engine's SQL
 */
export async function findAccessToken(
  connection: Pick<SqlQueryable, 'queryRaw'>,
  parameter: '?' | '$1',
  hash: string,
): Promise<AccessToken | null> {
  const { rows } = await connection.queryRaw({
    sql: `SELECT id, name, created_at, expires_at, revoked_at, last_used_at FROM access_tokens WHERE hash = ${parameter}`,
    args: [hash],
    argTypes: [text],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const [id, name, createdAt, expiresAt, revokedAt, lastUsedAt] = row;
  return {
    id: Number(id),
    name: String(name),
    createdAt: toTime(createdAt),
    expiresAt: toTimeOrNull(expiresAt),
    revokedAt: toTimeOrNull(revokedAt),
    lastUsedAt: toTimeOrNull(lastUsedAt),
  };
}

function toTimeOrNull(value: unknown): Date | null {
  return value === null ? null : toTime(value);
}

/** Parses a time that the adapter returns, in ISO 8601. Without a time zone it is UTC, as in Prisma's client. */
export function toTime(value: unknown): Date {
  const time = String(value);
  return new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(time) ? time : `${time}Z`);
}
