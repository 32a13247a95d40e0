import type { AccessTokenStore } from '../../auth/access-token-store.js';
import { orUnavailable } from './database-unavailable.js';
import type { PrismaClient } from './generated/client.js';

/** Everything of a token but its hash, which nobody needs to see. */
const withoutHash = { hash: true } as const;

/** Access tokens in SQLite. */
export function createSqliteAccessTokenStore(prisma: PrismaClient): AccessTokenStore {
  const tokens = prisma.accessToken;
  return {
    add: (token) => orUnavailable(() => tokens.create({ data: token, omit: withoutHash })),
    findByHash: (hash) => orUnavailable(() => tokens.findUnique({ where: { hash }, omit: withoutHash })),
    list: () => orUnavailable(() => tokens.findMany({ orderBy: { id: 'asc' }, omit: withoutHash })),
    revoke: (id, at) =>
      orUnavailable(async () => {
        await tokens.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
        return tokens.findUnique({ where: { id }, omit: withoutHash });
      }),
  };
}
