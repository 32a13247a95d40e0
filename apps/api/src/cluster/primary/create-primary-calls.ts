import type { Logger } from 'pino';
import type { AccessTokens } from '../../auth/access-tokens.js';
import { createLoggedAuthenticationLimit } from '../../auth/limit/logged-authentication-limit.js';
import type { Config } from '../../config.js';
import type { Database } from '../../database/database.js';
import { windowMs } from '../../http/middleware/rate-limit.js';
import type { PlantInserter } from '../../plants/plant-store.js';
import type { PrimaryCalls } from '../calls.js';

/** What the calls of workers use. */
export interface PrimaryParts {
  readonly database: Database;
  readonly inserts: PlantInserter;
  readonly accessTokens: AccessTokens;
  readonly log: Logger;
  /** Aborted once the service begins to stop: what limits have counted is then logged. */
  readonly stopping: AbortSignal;
}

/** Creates what workers may call. The limits of requests are counted here, for all workers together. */
export async function createPrimaryCalls(config: Config, parts: PrimaryParts): Promise<PrimaryCalls> {
  const { database, inserts, accessTokens, log, stopping } = parts;
  const limit = createLoggedAuthenticationLimit(accessTokens, config.authFailuresPerMinute, log);
  stopping.addEventListener('abort', () => limit.clear());
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
    findToken: (hash) => database.accessTokens.findByHash(hash),
    recordUses: (uses) => database.accessTokens.recordUses(uses),
    verifyWithinLimit: ({ address, text, cached }) =>
      limit.verify(address, text, cached ?? accessTokens.verifyCached(text)),
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
