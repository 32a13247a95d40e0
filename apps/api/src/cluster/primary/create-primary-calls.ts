import type { ServedTokens } from '../../assemble-service.js';
import type { Config } from '../../config.js';
import type { Database } from '../../database/database.js';
import { windowMs } from '../../http/middleware/rate-limit.js';
import type { PlantInserter } from '../../plants/plant-store.js';
import type { PrimaryCalls } from '../calls.js';

/** What the calls of workers use. */
export interface PrimaryParts extends Pick<ServedTokens, 'accessTokens' | 'authenticationLimit'> {
  readonly database: Database;
  readonly inserts: PlantInserter;
}

/** Creates what workers may call. The limits of requests are counted here, for all workers together. */
export async function createPrimaryCalls(config: Config, parts: PrimaryParts): Promise<PrimaryCalls> {
  const { database, inserts, accessTokens, authenticationLimit } = parts;
  const verifyToken: PrimaryCalls['verifyToken'] = ({ address, text }) =>
    authenticationLimit.verify(address, text, accessTokens.verifyCached(text));
  return {
    async insert(plants) {
      const outcomes = await inserts.insert(plants);
      if (outcomes.every((outcome) => outcome.stored)) return undefined;
      return outcomes.map((outcome) => (outcome.stored ? null : outcome.existing));
    },
    async readPage({ after, limits }) {
      for await (const page of database.plants.read(after, limits)) return page;
      return [];
    },
    checkDatabase: () => database.check(),
    tryCommit: (trial) => database.tryCommit(trial ?? undefined),
    verifyKnownToken: verifyToken,
    verifyToken,
    countRequest: await createRequestCounts(config),
  };
}

/** Counts the requests of each caller in a minute. */
async function createRequestCounts({ rateLimitPerMinute }: Config): Promise<PrimaryCalls['countRequest']> {
  if (rateLimitPerMinute === 0) return () => Promise.reject(new Error('There is no limit of requests'));
  const { MemoryStore } = await import('express-rate-limit');
  const counts = new MemoryStore();
  // Of its options it uses no other.
  counts.init({ windowMs } as Parameters<typeof counts.init>[0]);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: what it returns changes with the next request of the same caller.
  return (caller) => {
    const count = last.then(async () => {
      const { totalHits, resetTime } = await counts.increment(caller);
      return { totalHits, resetTime };
    });
    last = count;
    return count;
  };
}
