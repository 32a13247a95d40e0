import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type { ServedTokens } from '../../assemble-service.js';
import { hashAccessToken } from '../../auth/access-token-format.js';
import { cacheSize, type Verification } from '../../auth/access-tokens.js';
import { createCheckCounter } from '../../metrics/count-token-checks.js';
import { type PrimaryCalls, tokenTtlMs } from '../calls.js';
import type { Channel } from '../channel.js';

type ValidToken = Extract<Verification, { status: 'valid' }>;

/**
 * Verifies tokens in the primary process, which alone reads the database and fetches keys for that, and counts failures. What
 * it has found valid is known here for a moment.
 *
 * @param metrics where the tokens are counted that are known here
 * @param now returns the time in milliseconds since the epoch
 */
export function createRemoteTokens(
  primary: Pick<Channel<PrimaryCalls>, 'call'>,
  metrics: Registry | undefined,
  now: () => number = Date.now,
): ServedTokens {
  const valid = new LRUCache<string, ValidToken>({ max: cacheSize, ttl: tokenTtlMs, perf: performance });
  const count = metrics && createCheckCounter(metrics);
  return {
    accessTokens: {
      verifyCached(text) {
        const known = valid.get(hashAccessToken(text));
        if (known === undefined || acceptedUntil(known) <= now()) return undefined;
        return count ? count(known) : known;
      },
    },
    authenticationLimit: {
      async verify(address, text) {
        const verification = await primary.call('verifyToken', { address, text });
        if (verification.status === 'valid') valid.set(hashAccessToken(text), verification);
        return verification;
      },
      clear: () => undefined,
    },
    closeTokens: async () => undefined,
  };
}

function acceptedUntil(known: ValidToken): number {
  return known.token ? (known.token.expiresAt?.getTime() ?? Infinity) : known.acceptedUntil;
}
