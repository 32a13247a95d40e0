import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { type PlantStore, stored } from '../../plants/plant-store.js';
import type { RunQuery } from '../queries/nest-runners.js';
import { resolveInsertOutcomes } from '../queries/resolve-insert-outcomes.js';
import type { PlantStrategy } from './strategies/plant-strategy.js';

/** Creates the plant store of PostgreSQL. */
export function createPostgresqlPlantStore(
  connections: SqlDriverAdapter,
  runQuery: RunQuery,
  strategy: PlantStrategy,
): PlantStore {
  return {
    insert: (plants) =>
      runQuery(async () => {
        const sorted = plants.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
        const newIds = plants.length === 0 ? [] : await strategy.insert(connections, sorted);
        if (newIds.length === plants.length) return plants.map(() => stored);
        return resolveInsertOutcomes(plants, new Set(newIds), (ids) => strategy.find(connections, ids));
      }),
    read: (after, limits) => strategy.read(connections, runQuery, after, limits),
  };
}
