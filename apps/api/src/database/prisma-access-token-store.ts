import type { AccessToken, AccessTokenStore, HashedAccessToken } from '../auth/access-token-store.js';

/** Everything of a token but its hash, which nobody needs to see. */
const withoutHash = { hash: true } as const;
type WithoutHash = typeof withoutHash;

/** The table of access tokens, as far as it is used; the client that Prisma generates for an engine has one. */
export interface AccessTokenTable {
  create(query: {
    data: Parameters<AccessTokenStore['add']>[0] | HashedAccessToken;
    omit: WithoutHash;
  }): Promise<AccessToken>;
  findUnique(query: {
    where: { hash: string } | { id: number };
    omit: WithoutHash;
  }): Promise<AccessToken | null>;
  findMany(query: { orderBy: { id: 'asc' } }): Promise<readonly (HashedAccessToken & AccessToken)[]>;
  updateMany(query: {
    where: ({ id: number } | { hash: string }) & { revokedAt: null };
    data: { revokedAt: Date };
  }): Promise<{ readonly count: number }>;
}

/** The client that Prisma generates for an engine, as far as it is used. */
interface Client {
  readonly accessToken: AccessTokenTable;
  $disconnect(): Promise<void>;
}

/** What an engine gives for its table of access tokens. */
export interface AccessTokenAccess {
  /** Looks a token up without Prisma's client; see `findAccessToken`. */
  findByHash(hash: string): Promise<AccessToken | null>;
  /** Loads Prisma's client, which takes a while. */
  loadClient(): Promise<Client>;
  /**
   * Resolves once all that was read before is as durable as a commit of its own. What is acknowledged without a write,
   * since it was there already, waits for it.
   */
  confirmRead(): Promise<void>;
  /** Runs a query and turns a failure of the database into `database_unavailable`. */
  orUnavailable<Result>(query: () => Promise<Result>): Promise<Result>;
}

/** Access tokens in the table of any engine. Prisma's client is loaded by the first who needs it. */
export function createPrismaAccessTokenStore({
  findByHash,
  loadClient,
  confirmRead,
  orUnavailable,
}: AccessTokenAccess): AccessTokenStore & { close(): Promise<void> } {
  let client: Promise<Client> | undefined;
  const withTable = async <Result>(query: (tokens: AccessTokenTable) => Promise<Result>) => {
    client ??= loadClient();
    const { accessToken } = await client;
    return orUnavailable(() => query(accessToken));
  };
  const listAll = () => withTable((tokens) => tokens.findMany({ orderBy: { id: 'asc' } }));
  return {
    add: (token) => withTable((tokens) => tokens.create({ data: token, omit: withoutHash })),
    findByHash: (hash) => orUnavailable(() => findByHash(hash)),
    list: async () => (await listAll()).map(({ hash, ...token }) => token),
    revoke: (id, at) =>
      withTable(async (tokens) => {
        const { count } = await tokens.updateMany({
          where: { id, revokedAt: null },
          data: { revokedAt: at },
        });
        const token = await tokens.findUnique({ where: { id }, omit: withoutHash });
        if (count === 0) await confirmRead();
        return token;
      }),
    listHashed: async () => (await listAll()).map(({ id, ...token }) => token),
    takeOver: (token) =>
      withTable(async (tokens) => {
        const { hash, revokedAt } = token;
        const known = await tokens.findUnique({ where: { hash }, omit: withoutHash });
        if (known === null) {
          await tokens.create({ data: token, omit: withoutHash });
          return true;
        }
        if (revokedAt !== null) {
          await tokens.updateMany({ where: { hash, revokedAt: null }, data: { revokedAt } });
        }
        await confirmRead();
        return false;
      }),
    close: async () => (await client)?.$disconnect(),
  };
}
