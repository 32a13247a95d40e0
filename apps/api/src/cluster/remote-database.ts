import { type InsertOutcome, stored } from '../plants/plant-store.js';
import { toOneDestination } from '../plants/routing.js';
import type { ServedDatabase } from '../service.js';
import { readPages } from '../store/queries.js';
import type { PrimaryCalls } from './calls.js';
import type { Channel } from './channel.js';

/**
 * How many batches of a worker are with the primary process at a time: while one is committed, the next one is on its way,
 * and joins the batches of other workers in the next commit.
 */
const batchesInFlight = 2;

/** The database as the worker of a primary process sees that has opened it. Its calls reject as those of the database do. */
export function createRemoteDatabase(primary: Channel<PrimaryCalls>): ServedDatabase {
  return {
    plants: {
      async insert(plants) {
        const existing = await primary.call('insert', plants);
        if (existing === undefined) return plants.map(() => stored);
        return existing.map(
          (plant): InsertOutcome => (plant === null ? stored : { stored: false, existing: plant }),
        );
      },
      read: (after, limits) => readPages((last) => primary.call('readPage', { after: last, limits }), after),
    },
    routing: toOneDestination(batchesInFlight),
    check: () => primary.call('checkDatabase', null),
    tryCommit: (trial) => primary.call('tryCommit', trial ?? null),
    close: async () => undefined,
  };
}
