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

/** The queries that are used here. The Prisma clients of all engines have them. */
interface TokenQuery {
  where?: {
    revokedAt?: null;
    OR: { revokedAt?: { not: null }; expiresAt?: null | { gt: Date } | { lte: Date } }[];
  };
  orderBy: { id: 'asc' | 'desc' };
  take?: number;
}

type TokenRow = Omit<HashedAccessToken & AccessToken, 'scopes'> & { readonly scopes: string };

/** The part of the generated Prisma client that is used here. */
interface Client {
  readonly accessToken: { findMany(query: TokenQuery): Promise<readonly TokenRow[]> };
  $disconnect(): Promise<void>;
}

interface AccessTokenStoreDependencies {
  /** Runs a statement without Prisma's client, and returns its rows. */
  query(statement: Statement): Promise<readonly (readonly unknown[])[]>;
  readonly runSteps: RunSteps;
  /** `insertWithinLimitSql` for the engine. */
  readonly insertWithinLimit: string;
  /** SQL that the engine appends to a query to lock its rows against changes until the end of the transaction. */
  readonly forShare: string;
  /** Stores uses without Prisma's client, and without waiting for the disk. */
  recordUses(uses: readonly TokenUse[]): Promise<void>;
  /** Loads Prisma's client, which takes a while. */
  loadClient(): Promise<Client>;
  /**
   * Resolves once everything read before is as durable as a commit. Needed to acknowledge a request without a write because the data exists
   * already.
   */
  confirmRead(): Promise<void>;
  /** Runs a query, and converts a failure of the database into `database_unavailable`. */
  readonly runQuery: QueryWrapper;
}

/** A limit that is never reached, for tokens that the command line creates. */
const noLimit = 2 ** 31 - 1;

/** Creates the access token store of any engine. Prisma's client is loaded when it is first needed. */
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
  const leaveOutHash = ({ hash: _, ...token }: AccessToken & HashedAccessToken): AccessToken => token;

  /** Without Prisma's client, since loading it would take longer than the rest of the first request. */
  const findWhere = (condition: string, value: unknown): Promise<AccessToken | null> =>
    runQuery(async () => {
      const [row] = await query({ sql: `${selectToken} WHERE ${condition}`, values: [value] });
      return row === undefined ? null : toToken(row);
    });

  /** Finds a token, and locks its row until the end of the transaction. */
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
    const [id, unused] = [Number(row[0]), { revokedAt: null, lastUsedAt: null }];
    return { id, name, scopes, createdAt, expiresAt, ratePerMinute, ...unused };
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
   * Applies a change to the token with an id, and returns the resulting token. If nothing changes, first confirms that the token is durable.
   */
  async function change(id: number, begin: () => Steps<AccessToken | undefined>) {
    const { token, isChanged } = await runSteps(function* () {
      const changed = yield* begin();
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
        const own = by.id === undefined ? null : yield* findLocked(by.id);
        const old = replaces === undefined ? null : yield* findLocked(replaces.id);
        check(own, old);
        const added = yield* insert(token, limit);
        if (added === null) return null;
        // Nothing to replace: the token is new.
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
    list: async () => (await readTokens({ orderBy: { id: 'asc' } })).map(leaveOutHash),
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
        .map(leaveOutHash)
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
        const key = id ?? imported?.id ?? 0;
        const [revoked] = revokedAt === null ? [] : yield revocation(key, revokedAt);
        if (lastUsedAt !== null) yield use(key, lastUsedAt);
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

/** These statements change a token only if it is not already revoked, expired by then, or used later. They return no row if it is. */
const revocation = (id: number, at: Date): Statement => ({
  sql: `UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING ${tokenColumns}`,
  values: [at, id],
});
const expiry = (id: number, at: Date): Statement => ({
  sql: `UPDATE access_tokens SET expires_at = ?
    WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) RETURNING ${tokenColumns}`,
  values: [at, id, at],
});
const use = (id: number, at: Date): Statement => ({
  sql: 'UPDATE access_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  values: [at, id, at],
});

/**
 * A statement that stores a token and returns its id, unless the limit of valid tokens is reached. Its values are the columns, the creation
 * time again, and the limit.
 *
 * @param parameters the placeholders of these eight values in the engine's SQL, with their types where it needs them
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

/** Reads a row of `selectToken`. */
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

/** Finds the earliest time at which any name has no valid token left. Counts only names with a valid token that was used since a time. */
const selectNextExpiry = `
  SELECT min(last) FROM (
    SELECT max(expires_at) AS last FROM access_tokens
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY name
    HAVING count(expires_at) = count(*) AND max(last_used_at) > ?) AS names`;

/** A time as stored in SQLite, where it is compared as text: the format of Prisma's driver adapter. */
export function toStoredTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** The scopes as stored. `update` keeps its name from version 1.4, so that instances of 1.4 can read it during an upgrade or after a downgrade. */
const toColumn = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => (scope === 'update' ? formerUpdate : scope)).join();

/** The scopes of a comma-separated list, without any that only a later version knows. */
function parseScopes(list: string): readonly Scope[] {
  const names = list.split(',').map(currentScope);
  return allScopes.filter((scope) => names.includes(scope));
}

function toTimeOrNull(value: unknown): Date | null {
  return value === null ? null : toTime(value);
}

/** Parses a time that the adapter returns, in ISO 8601. Without a time zone it is UTC, as in Prisma's client. */
function toTime(value: unknown): Date {
  if (value instanceof Date) return value;
  const time = String(value);
  return new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(time) ? time : `${time}Z`);
}
