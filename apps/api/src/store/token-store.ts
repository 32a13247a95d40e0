import {
  scopes as allScopes,
  currentScope,
  formerUpdate,
  type Scope,
} from '@plant-store/contract/access-token';
import type { AuditAction } from '@plant-store/contract/operations';
import { type AccessToken, type Actor, describeToken, type Subject } from '@plant-store/records';
import type { AccessTokenStore, HashedAccessToken, NewAccessToken, TokenUse } from '../auth/token-service.js';
import { type RunSteps, recordEvent, type Statement, type Steps } from './audit-store.js';
import type { QueryWrapper } from './table.js';

/** The Prisma queries that this store uses. Every engine's client supports them. */
interface TokenQuery {
  where?: {
    revokedAt?: null;
    OR: { revokedAt?: { not: null }; expiresAt?: null | { gt: Date } | { lte: Date } }[];
  };
  orderBy: { id: 'asc' | 'desc' };
  take?: number;
}

type TokenRow = Omit<HashedAccessToken & AccessToken, 'scopes'> & { readonly scopes: string };

/** The part of the generated Prisma client that this store uses. */
interface Client {
  readonly accessToken: { findMany(query: TokenQuery): Promise<readonly TokenRow[]> };
  $disconnect(): Promise<void>;
}

interface AccessTokenStoreDependencies {
  /** Runs a statement without the Prisma client, and returns the rows. */
  query(statement: Statement): Promise<readonly (readonly unknown[])[]>;
  readonly runSteps: RunSteps;
  /** The result of `insertWithinLimitSql` for the engine. */
  readonly insertWithinLimit: string;
  /** The SQL clause that locks the selected rows against changes until the end of the transaction, or an empty string. */
  readonly forShare: string;
  /** Stores when tokens were last used, without the Prisma client, and without waiting for the disk. */
  recordUses(uses: readonly TokenUse[]): Promise<void>;
  /** Loads the Prisma client, which is slow. */
  loadClient(): Promise<Client>;
  /**
   * Resolves once all data read before the call is as durable as a commit. The store calls this function before it reports that a change was
   * already stored.
   */
  confirmRead(): Promise<void>;
  /** Runs a query, and converts database failures into `database_unavailable` errors. */
  readonly runQuery: QueryWrapper;
}

/** A token limit that is never reached. Tokens that the command line creates are not limited. */
const noLimit = 2 ** 31 - 1;

/** Creates the access token store for a database engine. The store loads the Prisma client on first use. */
export function createPrismaAccessTokenStore({
  query,
  runSteps,
  insertWithinLimit,
  forShare,
  recordUses,
  loadClient,
  confirmRead,
  runQuery,
}: AccessTokenStoreDependencies): AccessTokenStore & { close(): Promise<void> } {
  let client: Promise<Client> | undefined;
  const readTokens = async (query: TokenQuery) => {
    client ??= loadClient();
    const { accessToken } = await client;
    const rows = await runQuery(() => accessToken.findMany(query));
    return rows.map((row) => ({ ...row, scopes: parseScopes(row.scopes) }));
  };
  const omitHash = ({ hash: _, ...token }: AccessToken & HashedAccessToken): AccessToken => token;

  /** Finds a token without the Prisma client, because loading the client would dominate the time of the first request. */
  const findWhere = (condition: string, value: unknown): Promise<AccessToken | null> =>
    runQuery(async () => {
      const [row] = await query({ sql: `${selectToken} WHERE ${condition}`, values: [value] });
      return row === undefined ? null : toToken(row);
    });

  /** Finds a token, and locks the token's row until the end of the transaction. */
  function* findLocked(id: number): Steps<AccessToken | null> {
    const [row] = yield { sql: `${selectToken} WHERE id = ?${forShare}`, values: [id] };
    return row === undefined ? null : toToken(row);
  }

  function* insert(
    { name, hash, scopes, createdAt, expiresAt, ratePerMinute = null }: NewAccessToken & { createdAt: Date },
    limit = noLimit,
  ): Steps<AccessToken | null> {
    const columns = [name, hash, toColumn(scopes), createdAt, expiresAt, ratePerMinute];
    const [row] = yield { sql: insertWithinLimit, values: [...columns, createdAt, limit] };
    if (row === undefined) return null;
    const id = Number(row[0]);
    return { id, name, scopes, createdAt, expiresAt, ratePerMinute, revokedAt: null, lastUsedAt: null };
  }

  function* auditToken(
    action: AuditAction,
    token: AccessToken,
    by: Actor,
    at: Date,
    replaced?: Subject['replaced'],
  ) {
    yield* recordEvent({ at: at.getTime(), by, action, about: { token: describeToken(token), replaced } });
  }

  /**
   * Changes the token with an ID, and returns the resulting token, or `null` if there is no such token. If nothing needs to change, the
   * function confirms that the stored token is durable before it returns.
   *
   * @param applyChange makes the change, and returns the changed token, or `undefined` if nothing changed
   */
  async function change(id: number, applyChange: () => Steps<AccessToken | undefined>) {
    const { token, isChanged } = await runSteps(function* () {
      const changed = yield* applyChange();
      return { token: changed ?? (yield* findLocked(id)), isChanged: changed !== undefined };
    });
    if (!isChanged) await runQuery(confirmRead);
    return token;
  }

  return {
    add: (token, by, replaced) =>
      runSteps(function* () {
        const createdAt = new Date();
        const added = yield* insert({ ...token, createdAt });
        if (added === null) throw new Error('The token was not stored');
        const action = replaced === undefined ? 'token_created' : 'token_rotated';
        yield* auditToken(action, added, by, createdAt, replaced && { id: replaced.id, name: replaced.name });
        return added;
      }),
    addWithinLimit: (limit, token, { by, replaces, check }) =>
      runSteps(function* () {
        const issuer = by.id === undefined ? null : yield* findLocked(by.id);
        const old = replaces === undefined ? null : yield* findLocked(replaces.id);
        check(issuer, old);
        const added = yield* insert(token, limit);
        if (added === null) return null;
        if (replaces === undefined || old === null) {
          yield* auditToken('token_created', added, by, token.createdAt);
          return added;
        }
        yield replaces.afterMs === 0 ? revocation(old.id, replaces.at) : expiry(old.id, replaces.at);
        const replaced = { id: old.id, name: old.name };
        yield* auditToken('token_rotated', added, by, token.createdAt, replaced);
        return added;
      }),
    find: (id) => findWhere('id = ?', id),
    findByHash: (hash) => findWhere('hash = ?', hash),
    findNextExpiry: (at, usedSince) =>
      runQuery(async () => {
        const [[expiry = null] = []] = await query({ sql: selectNextExpiry, values: [at, usedSince] });
        return toTimeOrNull(expiry);
      }),
    list: async () => (await readTokens({ orderBy: { id: 'asc' } })).map(omitHash),
    async listLatest(maxEnded, at) {
      const isValid: TokenQuery['where'] = {
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: at } }],
      };
      const hasEnded: TokenQuery['where'] = {
        OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: at } }],
      };
      const found = await Promise.all([
        readTokens({ where: isValid, orderBy: { id: 'asc' } }),
        readTokens({ where: hasEnded, orderBy: { id: 'desc' }, take: maxEnded }),
      ]);
      return found
        .flat()
        .map(omitHash)
        .toSorted((a, b) => a.id - b.id);
    },
    revoke: (id, at, by) =>
      change(id, function* () {
        const [row] = yield revocation(id, at);
        if (row === undefined) return undefined;
        const token = toToken(row);
        if (by !== undefined) yield* auditToken('token_revoked', token, by, at);
        return token;
      }),
    expire: (id, at) =>
      change(id, function* () {
        const [row] = yield expiry(id, at);
        return row && toToken(row);
      }),
    recordUses: (uses) => runQuery(() => recordUses(uses)),
    listHashed: async () => (await readTokens({ orderBy: { id: 'asc' } })).map(({ id, ...token }) => token),
    async importToken(token, by) {
      const { hash, revokedAt, lastUsedAt } = token;
      const at = new Date();
      const isNew = await runSteps(function* () {
        const [existing] = yield { sql: `${selectToken} WHERE hash = ?`, values: [hash] };
        const id = existing === undefined ? undefined : toToken(existing).id;
        const imported = id === undefined ? yield* insert(token) : null;
        const tokenId = id ?? imported?.id ?? 0;
        const [revoked] = revokedAt === null ? [] : yield revocation(tokenId, revokedAt);
        if (lastUsedAt !== null) yield lastUse(tokenId, lastUsedAt);
        if (imported !== null) yield* auditToken('token_imported', imported, by, at);
        else if (revoked !== undefined) yield* auditToken('token_revoked', toToken(revoked), by, at);
        return id === undefined;
      });
      if (!isNew) await runQuery(confirmRead);
      return isNew;
    },
    close: async () => (await client)?.$disconnect(),
  };
}

const tokenColumns = 'id, name, scopes, created_at, expires_at, revoked_at, last_used_at, rate_per_minute';
const selectToken = `SELECT ${tokenColumns} FROM access_tokens`;

/** Revokes a token that is not already revoked. Like `expiry`, this statement returns no row if it changes nothing. */
const revocation = (id: number, at: Date): Statement => ({
  sql: `UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING ${tokenColumns}`,
  values: [at, id],
});
/** Makes a token expire at a time, unless the token is revoked or expires by that time anyway. */
const expiry = (id: number, at: Date): Statement => ({
  sql: `UPDATE access_tokens SET expires_at = ?
    WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) RETURNING ${tokenColumns}`,
  values: [at, id, at],
});
/** Stores when a token was last used, unless a later time is stored. */
const lastUse = (id: number, at: Date): Statement => ({
  sql: 'UPDATE access_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  values: [at, id, at],
});

/**
 * Returns an INSERT statement that stores a token and returns the token's ID. If the limit on valid tokens is reached, the statement stores
 * nothing and returns no row.
 *
 * @param parameters eight placeholders in the engine's SQL, with types where the engine needs them: for the six columns, for the time at which
 * the existing tokens must be valid to count, and for the limit
 */
export function insertWithinLimitSql(parameters: readonly string[]): string {
  const columns = parameters.slice(0, 6);
  const [at, limit] = parameters.slice(6);
  return `
    INSERT INTO access_tokens (name, hash, scopes, created_at, expires_at, rate_per_minute)
    SELECT ${columns.join(', ')}
    WHERE (
      SELECT count(*) FROM access_tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${at})
    ) < ${limit}
    RETURNING id`;
}

/** Converts a row with the columns `tokenColumns`. */
export function toToken(row: readonly unknown[]): AccessToken {
  const [id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, ratePerMinute] = row;
  return {
    id: Number(id),
    name: String(name),
    scopes: parseScopes(String(scopes)),
    createdAt: toTime(createdAt),
    expiresAt: toTimeOrNull(expiresAt),
    revokedAt: toTimeOrNull(revokedAt),
    lastUsedAt: toTimeOrNull(lastUsedAt),
    ratePerMinute: ratePerMinute === null ? null : Number(ratePerMinute),
  };
}

/**
 * Selects the earliest time at which a name's last valid token expires. The query considers only names with a valid token that was used
 * recently. The parameters are the current time and the earliest time that counts as recent.
 */
const selectNextExpiry = `
  SELECT min(last) FROM (
    SELECT max(expires_at) AS last FROM access_tokens
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY name
    HAVING count(expires_at) = count(*) AND max(last_used_at) > ?) AS names`;

/** Formats a time as Prisma's driver adapter stores it in SQLite. SQLite compares times as text, so all of them need this format. */
export function toStoredTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/**
 * Formats scopes for the database. `update` is stored under its name from version 1.4, so that instances of that version can read it during an
 * upgrade or after a downgrade.
 */
const toColumn = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => (scope === 'update' ? formerUpdate : scope)).join();

/** Parses a comma-separated list of scopes. It ignores unknown scopes, which a later version may have stored. */
function parseScopes(list: string): readonly Scope[] {
  const names = list.split(',').map(currentScope);
  return allScopes.filter((scope) => names.includes(scope));
}

function toTimeOrNull(value: unknown): Date | null {
  return value === null ? null : toTime(value);
}

/** Converts a time from the database. A string in ISO 8601 without a time zone is UTC, as in the Prisma client. */
function toTime(value: unknown): Date {
  if (value instanceof Date) return value;
  const time = String(value);
  return new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(time) ? time : `${time}Z`);
}
