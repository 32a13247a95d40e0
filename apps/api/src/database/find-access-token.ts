import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { AccessToken } from '../auth/access-token-store.js';

/**
 * Finds an access token by the SHA-256 of its text, on a connection of Prisma's driver adapter. It is all that a service
 * asks of Prisma at its first request, and loading Prisma's client with its query compiler would take longer than
 * everything else of that request.
 *
 * @param parameter how the engine writes the first parameter of a statement
 */
export async function findAccessToken(
  connection: Pick<SqlQueryable, 'queryRaw'>,
  parameter: '?' | '$1',
  hash: string,
): Promise<AccessToken | null> {
  const { rows } = await connection.queryRaw({
    sql: `SELECT id, name, created_at, expires_at, revoked_at FROM access_tokens WHERE hash = ${parameter}`,
    args: [hash],
    argTypes: [{ scalarType: 'string', arity: 'scalar' }],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const [id, name, createdAt, expiresAt, revokedAt] = row;
  return {
    id: Number(id),
    name: String(name),
    createdAt: toTime(createdAt),
    expiresAt: expiresAt === null ? null : toTime(expiresAt),
    revokedAt: revokedAt === null ? null : toTime(revokedAt),
  };
}

/** A time as the adapter gives it, in ISO 8601. Without a zone it is UTC, as Prisma's client has it. */
function toTime(value: unknown): Date {
  const text = String(value);
  return new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(text) ? text : `${text}Z`);
}
