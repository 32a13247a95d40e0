import {
  scopes as allScopes,
  currentScope,
  formerUpdate,
  type Scope,
} from '@plant-store/contract/access-token';
import type { AuditAction } from '@plant-store/contract/operations';
import { type AccessToken, type Actor, describeToken, type Subject } from '@plant-store/records';
import type { AccessTokenStore, HashedAccessToken, NewAccessToken, TokenUse } from '../auth/token-service.js';
import { type RunSteps, recordDeed, type Statement, type Steps } from './audit-store.js';
import type { QueryWrapper } from './table.js';

/** Leaves the hash out of a result. */
const withoutHash = { hash: true } as const;
type WithoutHash = typeof withoutHash;

/** A token as stored in its row. */
type Row<Token> = Omit<Token, 'scopes'> & { readonly scopes: string };

/** The queries on the access token table that are used here, common to the Prisma clients of all engines. */
interface AccessTokenTable {
  findUnique(query: { where: { id: number }; omit: WithoutHash }): Promise<Row<AccessToken> | null>;
  findMany(query: {
    where?: IsValid | HasEnded;
    orderBy: { id: 'asc' | 'desc' };
    take?: number;
  }): Promise<readonly Row<HashedAccessToken & AccessToken>[]>;
}

/** The conditions that a token is valid at a time, or has ended. */
interface IsValid {
  revokedAt: null;
  OR: [{ expiresAt: null }, { expiresAt: { gt: Date } }];
}
interface HasEnded {
  OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: Date } }];
}

/** The part of the generated Prisma client that is used here. */
interface Client {
  readonly accessToken: AccessTokenTable;
  $disconnect(): Promise<void>;
}

interface AccessTokenStoreDependencies {
  /** Finds a token without Prisma's client; see `findAccessToken`. */
  findByHash(hash: string): Promise<AccessToken | null>;
  /** Runs the steps of a change, as `runQuery` runs a query. */
  readonly runSteps: RunSteps;
  /** `insertBelowSql` for the engine. */
  readonly insertBelow: string;
  /** SQL that the engine appends to a query to lock its rows against changes until the end of the transaction. */
  readonly forShare: string;
  /** Finds the next expiry without Prisma's client; see `findNextExpiry`. */
  findNextExpiry(at: Date, usedSince: Date): Promise<Date | null>;
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

/** More tokens than the command line can create. */
const unlimited = 2 ** 31 - 1;

/** Creates the access token store of any engine. Prisma's client is loaded when it is first needed. */
export function createPrismaAccessTokenStore({
  findByHash,
  runSteps,
  insertBelow,
  forShare,
  findNextExpiry,
  recordUses,
  loadClient,
  confirmRead,
  runQuery,
}: AccessTokenStoreDependencies): AccessTokenStore & { close(): Promise<void> } {
  let client: Promise<Client> | undefined;
  const withTable = async <Result>(query: (tokens: AccessTokenTable) => Promise<Result>) => {
    client ??= loadClient();
    const { accessToken } = await client;
    return runQuery(() => query(accessToken));
  };
  const leaveOutHash = ({ hash: _, ...token }: AccessToken & HashedAccessToken): AccessToken => token;
  const listAll = async () =>
    (await withTable((tokens) => tokens.findMany({ orderBy: { id: 'asc' } }))).map(fromRow);

  function* find(id: number): Steps<AccessToken | null> {
    const [row] = yield { sql: `${selectToken} WHERE id = ?${forShare}`, values: [id] };
    return row === undefined ? null : toToken(row);
  }

  function* insert(
    { name, hash, scopes, createdAt, expiresAt, ratePerMinute = null }: NewAccessToken & { createdAt: Date },
    limit = unlimited,
  ): Steps<AccessToken | null> {
    const columns = [name, hash, toColumn(scopes), createdAt, expiresAt, ratePerMinute];
    const [row] = yield { sql: insertBelow, values: [...columns, createdAt, limit] };
    if (row === undefined) return null;
    const [id, unused] = [Number(row[0]), { revokedAt: null, lastUsedAt: null }];
    return { id, name, scopes, createdAt, expiresAt, ratePerMinute, ...unused };
  }

  function* recordToken(
    action: AuditAction,
    token: AccessToken,
    by: Actor,
    at: Date,
    replaced?: Subject['replaced'],
  ) {
    yield* recordDeed({ at: at.getTime(), by, action, about: { token: describeToken(token), replaced } });
  }

  /**
   * Applies a change to the token with an id, and returns the resulting token. If nothing changes, first confirms that what was read is
   * durable.
   */
  async function change(id: number, begin: () => Steps<AccessToken | undefined>) {
    const { token, isChanged } = await runSteps(function* () {
      const changed = yield* begin();
      return { token: changed ?? (yield* find(id)), isChanged: changed !== undefined };
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
        yield* recordToken(
          action,
          added,
          by,
          createdAt,
          replaced && { id: replaced.id, name: replaced.name },
        );
        return added;
      }),
    addBelow: (limit, token, { by, replaces, check }) =>
      runSteps(function* () {
        const own = by.id === undefined ? null : yield* find(by.id);
        const old = replaces === undefined ? null : yield* find(replaces.id);
        check(own, old);
        const added = yield* insert(token, limit);
        if (added === null) return null;
        if (replaces === undefined || old === null) {
          yield* recordToken('token_created', added, by, token.createdAt);
          return added;
        }
        yield replaces.afterMs === 0 ? revocation(old.id, replaces.at) : expiry(old.id, replaces.at);
        const replaced = { id: old.id, name: old.name };
        yield* recordToken('token_rotated', added, by, token.createdAt, replaced);
        return added;
      }),
    find: (id) =>
      withTable(async (tokens) => {
        const token = await tokens.findUnique({ where: { id }, omit: withoutHash });
        return token && fromRow(token);
      }),
    findByHash: (hash) => runQuery(() => findByHash(hash)),
    findNextExpiry: (at, usedSince) => runQuery(() => findNextExpiry(at, usedSince)),
    list: async () => (await listAll()).map(leaveOutHash),
    listLatest: (maxEnded, at) =>
      withTable(async (tokens) => {
        const isValid = {
          revokedAt: null,
          OR: [{ expiresAt: null }, { expiresAt: { gt: at } }],
        } satisfies IsValid;
        const hasEnded = {
          OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: at } }],
        } satisfies HasEnded;
        const found = await Promise.all([
          tokens.findMany({ where: isValid, orderBy: { id: 'asc' } }),
          tokens.findMany({ where: hasEnded, orderBy: { id: 'desc' }, take: maxEnded }),
        ]);
        return found
          .flat()
          .map(fromRow)
          .map(leaveOutHash)
          .toSorted((a, b) => a.id - b.id);
      }),
    revoke: (id, at, by) =>
      change(id, function* () {
        const [row] = yield revocation(id, at);
        if (row === undefined) return undefined;
        const token = toToken(row);
        if (by !== undefined) yield* recordToken('token_revoked', token, by, at);
        return token;
      }),
    expire: (id, at) =>
      change(id, function* () {
        const [row] = yield expiry(id, at);
        return row && toToken(row);
      }),
    recordUses: (uses) => runQuery(() => recordUses(uses)),
    listHashed: async () => (await listAll()).map(({ id, ...token }) => token),
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
        if (imported !== null) yield* recordToken('token_imported', imported, by, at);
        else if (revoked !== undefined) yield* recordToken('token_revoked', toToken(revoked), by, at);
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

/** Each statement changes the row only if its condition also holds. */
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

/** Runs a query of the access token table, and returns the rows. */
type TokenQuery = (sql: string, values: readonly string[]) => Promise<readonly (readonly unknown[])[]>;

/**
 * A statement that stores a token, unless the limit of valid tokens is reached when it is created. Its values are those of the columns, the
 * creation time again, and the limit. It returns the id.
 *
 * @param parameters the placeholders of these eight values in the engine's SQL, with their types where it needs them
 */
export function insertBelowSql(parameters: readonly string[]): string {
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

/**
 * Finds an access token by the SHA-256 of its text, without Prisma's client. Requests need no other query, and loading Prisma's client with
 * its query compiler would take longer than the rest of the first request.
 *
 * @param parameter the placeholder of the first parameter in the engine's SQL
 */
export async function findAccessToken(
  query: TokenQuery,
  parameter: '?' | '$1',
  hash: string,
): Promise<AccessToken | null> {
  const [row] = await query(`${selectToken} WHERE hash = ${parameter}`, [hash]);
  return row === undefined ? null : toToken(row);
}

function toToken(row: readonly unknown[]): AccessToken {
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
 * Finds the earliest time at which a name has no valid token left, among names whose valid tokens were used since a time, without Prisma's
 * client.
 *
 * @param parameters the placeholders of the first two parameters in the engine's SQL
 */
export async function findNextExpiry(
  query: TokenQuery,
  [first, second]: readonly ['?', '?'] | readonly ['$1', '$2'],
  at: Date,
  usedSince: Date,
): Promise<Date | null> {
  const [row] = await query(
    `SELECT min(last) FROM (
       SELECT max(expires_at) AS last FROM access_tokens
       WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${first}) GROUP BY name
       HAVING count(expires_at) = count(*) AND max(last_used_at) > ${second}) AS names`,
    [at, usedSince].map(toStoredTime),
  );
  return toTimeOrNull(row?.[0] ?? null);
}

/** A time as stored in SQLite, where it is compared as text: the format of Prisma's driver adapter. */
export function toStoredTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

const toColumn = (scopes: readonly Scope[]): string => scopes.map(toStoredScope).join();

function fromRow<Stored extends { readonly scopes: string }>(row: Stored) {
  return { ...row, scopes: parseScopes(row.scopes) };
}

/** The name of a scope in the column. Instances of 1.4 read it during an upgrade and after a downgrade. */
const toStoredScope = (scope: Scope): string => (scope === 'update' ? formerUpdate : scope);

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
