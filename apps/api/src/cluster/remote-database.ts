import { type InsertOutcome, type PlantStore, stored } from '../plants/plant-store.js';
import type { ServedDatabase } from '../service.js';
import { openWriter } from '../store/open-writer.js';
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
  const insert: PlantStore['insert'] = async (plants) => {
    const existing = await primary.call('insert', plants);
    if (existing === undefined) return plants.map(() => stored);
    return existing.map(
      (plant): InsertOutcome => (plant === null ? stored : { stored: false, existing: plant }),
    );
  };
  return {
    plants: {
      insert,
      read: (after, limits) => readPages((last) => primary.call('readPage', { after: last, limits }), after),
    },
    openWriter: (options) =>
      openWriter(
        {
          insert,
          inserts: batchesInFlight,
          check: () => primary.call('checkDatabase', null),
          probeCommit: () => primary.call('probeCommit', null),
        },
        // The primary process measures its commits.
        { ...options, metrics: undefined },
      ),
    close: async () => undefined,
  };
}
