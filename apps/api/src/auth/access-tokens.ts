import { LRUCache } from 'lru-cache';
import { generateAccessToken, hashAccessToken, isAccessTokenFormat } from './access-token-format.js';
import type { AccessToken, AccessTokenStore } from './access-token-store.js';

/** How long a verified token is trusted without asking the database; what another process revokes holds after it. */
const cacheTtlMs = 3_000;
const cacheSize = 10_000;

/** What checking a token found. */
export type Verification =
  | { readonly status: 'valid'; readonly token: AccessToken }
  | { readonly status: 'malformed' | 'unknown' | 'expired' | 'revoked' };

/** Issues, lists, revokes and verifies access tokens. */
export interface AccessTokens {
  /** Issues a token. Its text is in the answer and nowhere else: only its SHA-256 is stored. */
  issue(request: { name: string; expiresAt?: Date }): Promise<{ text: string; token: AccessToken }>;
  list(): Promise<readonly AccessToken[]>;
  /** Revokes a token: at once in this process, within 3 seconds in any other. `null` when there is no such id. */
  revoke(id: number): Promise<AccessToken | null>;
  /** Checks a token as a request brings it: at once when the cache knows it, otherwise by reading the database. */
  verify(text: string): Verification | Promise<Verification>;
}

/** Access tokens over a store; `now` gives the time in milliseconds since the epoch. */
export function createAccessTokens(
  store: Omit<AccessTokenStore, 'listHashed' | 'takeOver'>,
  now: () => number = Date.now,
): AccessTokens {
  // Concurrent look-ups of one token share one read. What is unknown is remembered like what is known.
  const cache = new LRUCache<string, { readonly token: AccessToken | null }>({
    max: cacheSize,
    ttl: cacheTtlMs,
    fetchMethod: async (hash) => ({ token: await store.findByHash(hash) }),
  });

  function judge(token: AccessToken | null): Verification {
    if (token === null) return { status: 'unknown' };
    if (token.revokedAt !== null) return { status: 'revoked' };
    if (token.expiresAt !== null && token.expiresAt.getTime() <= now()) return { status: 'expired' };
    return { status: 'valid', token };
  }

  return {
    async issue({ name, expiresAt = null }) {
      const text = generateAccessToken();
      const token = await store.add({ name, hash: hashAccessToken(text), expiresAt });
      return { text, token };
    },

    list: () => store.list(),

    async revoke(id) {
      const token = await store.revoke(id, new Date(now()));
      cache.clear();
      return token;
    },

    verify(text) {
      const hash = hashAccessToken(text);
      const known = cache.get(hash);
      if (known !== undefined) return judge(known.token);
      // The form is checked only where it spares a look-up.
      if (!isAccessTokenFormat(text)) return { status: 'malformed' };
      return cache.forceFetch(hash).then(({ token }) => judge(token));
    },
  };
}
