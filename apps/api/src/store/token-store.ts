import {
  scopes as allScopes,
  currentScope,
  formerUpdate,
  type Scope,
} from '@plant-store/contract/access-token';
import type { AccessToken } from '@plant-store/records';
import type { AccessTokenStore, HashedAccessToken, NewAccessToken, TokenUse } from '../auth/token-service.js';
import type { QueryWrapper } from './table.js';

/** Leaves the hash out of a result. */
const withoutHash = { hash: true } as const;
type WithoutHash = typeof withoutHash;

/** A token as its row has it. */
type Row<Token> = Omit<Token, 'scopes'> & { readonly scopes: string };

/** The queries used of the access token table, common to the clients that Prisma generates for each engine. */
interface AccessTokenTable {
  create(query: {
    data: Row<NewAccessToken | HashedAccessToken>;
    omit: WithoutHash;
  }): Promise<Row<AccessToken>>;
  findUnique(query: {
    where: { hash: string } | { id: number };
    omit: WithoutHash;
  }): Promise<Row<AccessToken> | null>;
  findMany(query: {
    where?: IsValid | HasEnded;
    orderBy: { id: 'asc' | 'desc' };
    take?: number;
  }): Promise<readonly Row<HashedAccessToken & AccessToken>[]>;
  updateMany(query: TokenUpdate): Promise<{ readonly count: number }>;
}

/** The conditions that a token is valid at a time, and that it has ended. */
interface IsValid {
  revokedAt: null;
  OR: [{ expiresAt: null }, { expiresAt: { gt: Date } }];
}
interface HasEnded {
  OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: Date } }];
}

/** The updates of tokens: each changes a row only where the condition besides its key holds. */
type TokenUpdate =
  | { where: TokenKey & { revokedAt: null }; data: { revokedAt: Date } }
  | {
      where: TokenKey & IsValid;
      data: { expiresAt: Date };
    }
  | {
      where: TokenKey & { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: Date } }] };
      data: { lastUsedAt: Date };
    };
type TokenKey = { id: number } | { hash: string };

/** The part that is used of the client that Prisma generates for an engine. */
interface Client {
  readonly accessToken: AccessTokenTable;
  $disconnect(): Promise<void>;
}

/** What the store needs of an engine. */
interface AccessTokenStoreDependencies {
  /** Finds a token without Prisma's client; see `findAccessToken`. */
  findByHash(hash: string): Promise<AccessToken | null>;
  /**
   * Runs `insertBelowSql` so that no other process counts the valid tokens before what it stores can be seen, and returns its rows.
   */
  insertBelow(values: readonly unknown[]): Promise<readonly (readonly unknown[])[]>;
  /** Finds the next expiry without Prisma's client; see `findNextExpiry`. */
  findNextExpiry(at: Date, usedSince: Date): Promise<Date | null>;
  /** Stores uses without Prisma's client, and without waiting for the disk. */
  recordUses(uses: readonly TokenUse[]): Promise<void>;
  /** Loads Prisma's client, which takes a while. */
  loadClient(): Promise<Client>;
  /**
   * Resolves once everything read before is as durable as a commit. An acknowledgement without a write, because the
   * data exists already, waits for it.
   */
  confirmRead(): Promise<void>;
  /** Runs a query, and converts a failure of the database into `database_unavailable`. */
  readonly runQuery: QueryWrapper;
}

/** Creates the access token store of any engine. Prisma's client is loaded when it is first needed. */
export function createPrismaAccessTokenStore({
  findByHash,
  insertBelow,
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
  const findIn = async (tokens: AccessTokenTable, id: number) => {
    const token = await tokens.findUnique({ where: { id }, omit: withoutHash });
    return token && fromRow(token);
  };
  /** Applies an update, and returns the token; `null` when there is no such id. */
  const update = (change: TokenUpdate & { where: { id: number } }) =>
    withTable(async (tokens) => {
      const { count } = await tokens.updateMany(change);
      const token = await findIn(tokens, change.where.id);
      if (count === 0) await confirmRead();
      return token;
    });
  const leaveOutHash = ({ hash: _, ...token }: AccessToken & HashedAccessToken): AccessToken => token;
  const listAll = async () =>
    (await withTable((tokens) => tokens.findMany({ orderBy: { id: 'asc' } }))).map(fromRow);
  return {
    add: async (token) =>
      fromRow(await withTable((tokens) => tokens.create({ data: toRow(token), omit: withoutHash }))),
    async addBelow(limit, token) {
      const { name, hash, createdAt, expiresAt, ratePerMinute = null } = token;
      const { scopes } = toRow(token);
      const values = [name, hash, scopes, createdAt, expiresAt, ratePerMinute, createdAt, limit];
      const [row] = await runQuery(() => insertBelow(values));
      return row === undefined
        ? null
        : {
            ...leaveOutHash({ ...token, id: Number(row[0]), revokedAt: null, lastUsedAt: null }),
            ratePerMinute,
          };
    },
    find: (id) => withTable((tokens) => findIn(tokens, id)),
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
    revoke: (id, at) => update({ where: { id, revokedAt: null }, data: { revokedAt: at } }),
    expire: (id, at) =>
      update({
        where: { id, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] },
        data: { expiresAt: at },
      }),
    recordUses: (uses) => runQuery(() => recordUses(uses)),
    listHashed: async () => (await listAll()).map(({ id, ...token }) => token),
    importToken: (token) =>
      withTable(async (tokens) => {
        const { hash, revokedAt, lastUsedAt } = token;
        const existing = await tokens.findUnique({ where: { hash }, omit: withoutHash });
        if (existing === null) {
          await tokens.create({ data: toRow(token), omit: withoutHash });
          return true;
        }
        if (revokedAt !== null) {
          await tokens.updateMany({ where: { hash, revokedAt: null }, data: { revokedAt } });
        }
        if (lastUsedAt !== null) {
          const isEarlier = [{ lastUsedAt: null }, { lastUsedAt: { lt: lastUsedAt } }] as const;
          await tokens.updateMany({ where: { hash, OR: [...isEarlier] }, data: { lastUsedAt } });
        }
        await confirmRead();
        return false;
      }),
    close: async () => (await client)?.$disconnect(),
  };
}

/** Runs a query of the access token table, and returns the rows. */
type TokenQuery = (sql: string, values: readonly string[]) => Promise<readonly (readonly unknown[])[]>;

/**
 * A statement that stores a token, unless so many are valid when it is created. Its values are those of the columns, that time
 * again, and the limit; it returns the id.
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
 * Finds an access token by the SHA-256 of its text, without Prisma's client. Requests need no more
 * of Prisma than this, and loading its client with the query compiler would take longer than the rest of the first
 * request.
 *
 * @param parameter the placeholder of the first parameter in the engine's SQL
 */
export async function findAccessToken(
  query: TokenQuery,
  parameter: '?' | '$1',
  hash: string,
): Promise<AccessToken | null> {
  const [row] = await query(
    `SELECT id, name, scopes, created_at, expires_at, revoked_at, last_used_at, rate_per_minute FROM access_tokens WHERE hash = ${parameter}`,
    [hash],
  );
  if (row === undefined) return null;
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
 * Finds when the first name has no valid token left, among names whose valid tokens were used since a time, without Prisma's client.
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

/** A time as SQLite has it, where it compares as text: the format of Prisma's driver adapter. */
export function toStoredTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

function toRow<Token extends { readonly scopes: readonly Scope[] }>(token: Token): Row<Token> {
  return { ...token, scopes: token.scopes.map(toStoredScope).join() };
}

function fromRow<Stored extends { readonly scopes: string }>(row: Stored) {
  return { ...row, scopes: parseScopes(row.scopes) };
}

/** The name of a scope in the column, which instances of 1.4 read during an upgrade, and after going back. */
const toStoredScope = (scope: Scope): string => (scope === 'update' ? formerUpdate : scope);

/** Those of a list separated by commas, without any that only a later version knows. */
function parseScopes(list: string): readonly Scope[] {
  const names = list.split(',').map(currentScope);
  return allScopes.filter((scope) => names.includes(scope));
}

function toTimeOrNull(value: unknown): Date | null {
  return value === null ? null : toTime(value);
}

/** Parses a time that the adapter returns, in ISO 8601. Without a time zone it is UTC, as in Prisma's client. */
function toTime(value: unknown): Date {
  const time = String(value);
  return new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(time) ? time : `${time}Z`);
}
