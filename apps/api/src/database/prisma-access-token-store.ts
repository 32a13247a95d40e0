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
  }): Promise<unknown>;
}

/**
 * Access tokens in the table of any engine.
 *
 * @param orUnavailable runs a query and turns a failure of the database into `database_unavailable`
 */
export function createPrismaAccessTokenStore(
  tokens: AccessTokenTable,
  orUnavailable: <Result>(query: () => Promise<Result>) => Promise<Result>,
): AccessTokenStore {
  const listAll = () => orUnavailable(() => tokens.findMany({ orderBy: { id: 'asc' } }));
  return {
    add: (token) => orUnavailable(() => tokens.create({ data: token, omit: withoutHash })),
    findByHash: (hash) => orUnavailable(() => tokens.findUnique({ where: { hash }, omit: withoutHash })),
    list: async () => (await listAll()).map(({ hash, ...token }) => token),
    revoke: (id, at) =>
      orUnavailable(async () => {
        await tokens.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
        return tokens.findUnique({ where: { id }, omit: withoutHash });
      }),
    listHashed: async () => (await listAll()).map(({ id, ...token }) => token),
    takeOver: (token) =>
      orUnavailable(async () => {
        const { hash, revokedAt } = token;
        const known = await tokens.findUnique({ where: { hash }, omit: withoutHash });
        if (known === null) await tokens.create({ data: token, omit: withoutHash });
        else if (revokedAt !== null) {
          await tokens.updateMany({ where: { hash, revokedAt: null }, data: { revokedAt } });
        }
        return known === null;
      }),
  };
}
