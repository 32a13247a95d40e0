import type { Registry } from '@prometheus-io/client';
import { LRUCache } from 'lru-cache';
import { hashAccessToken } from '../auth/access-token-format.js';
import { cacheSize, type Verification } from '../auth/token-service.js';
import { createCheckCounter } from '../observe/measure-requests.js';
import type { PlantOutcome, PlantStore } from '../plants/plant-store.js';
import type { ServedDatabase, ServedTokens } from '../service.js';
import { openWriter } from '../store/batcher.js';
import { stored } from '../store/store.js';
import { type PrimaryCalls, tokenTtlMs } from './calls.js';
import type { Channel } from './channel.js';

/**
 * How many batches of a worker are with the primary process at a time: while one is committed, the next one is on its way,
 * and joins the batches of other workers in the next commit.
 */
const batchesInFlight = 2;

/** The database as the worker of a primary process sees that has opened it. Its calls reject as those of the database do. */
export function createRemoteDatabase(primary: Channel<PrimaryCalls>): ServedDatabase {
  const insert: PlantStore['insert'] = async (plants) => {
    const existing = await primary.call('insert', plants);
    if (existing === undefined) return plants.map(() => stored);
    return existing.map(
      (plant): PlantOutcome => (plant === null ? stored : { stored: false, existing: plant }),
    );
  };
  return {
    plants: {
      find: (ids) => primary.call('find', ids),
      list: (query, limits) => primary.call('list', { query, limits }),
    },
    concurrentLists: 1,
    openWriter: (options) =>
      openWriter(
        {
          insert,
          inserts: batchesInFlight,
          check: () => primary.call('checkDatabase', null),
          probeCommit: () => primary.call('probeCommit', null),
        },
        options,
      ),
    close: async () => undefined,
  };
}

/** How many tokens that were never valid wait for the primary process at once; requests with more are limited. */
const maxWaiting = 1_000;

type ValidToken = Extract<Verification, { status: 'valid' }>;

/**
 * Verifies tokens in the primary process, which alone reads the database and fetches keys for that, and counts failures. What
 * it has found valid is known here for a moment; after that its call gives way to none, whatever other tokens strangers send.
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
  const validBefore = new LRUCache<string, true>({ max: cacheSize });
  let waiting = 0;

  async function verifyUnknown(request: { readonly address: string; readonly text: string }) {
    if (waiting >= maxWaiting) return { status: 'limited', retryAfterSeconds: 1, isFirst: false } as const;
    waiting++;
    return primary.call('verifyToken', request).finally(() => {
      waiting--;
    });
  }

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
        const hash = hashAccessToken(text);
        const askedAt = performance.now();
        const verification = validBefore.has(hash)
          ? await primary.call('verifyKnownToken', { address, text })
          : await verifyUnknown({ address, text });
        if (verification.status === 'valid') {
          valid.set(hash, verification, { start: askedAt });
          validBefore.set(hash, true);
        } else {
          validBefore.delete(hash);
        }
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
