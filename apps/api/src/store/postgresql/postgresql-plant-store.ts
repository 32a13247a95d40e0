import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { type PageLimits, type PlantStore, type StoredPlant, stored } from '../../plants/plant-store.js';
import type { Routing } from '../../plants/routing.js';
import type { RunQuery } from '../queries.js';
import { type PlantRow, resolveInsertOutcomes } from '../resolve-insert-outcomes.js';

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

/** How plants reach the tables of a database, which may be distributed, and how they are read from them. */
export interface PlantStrategy {
  readonly routing: Routing;
  /**
   * Inserts the plants whose id is free, and returns these ids. Resolves once they are on disk. Plants of one destination are
   * inserted in one statement, and thus one commit.
   *
   * @param plants in the order of their ids, so that two inserts that share some wait for each other instead of deadlocking
   */
  insert(connections: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<readonly bigint[]>;
  /** Reads existing rows. They are going to be acknowledged, so they must be as durable as a commit. */
  find(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /**
   * Reads all plants after an id; see `PlantStore`.
   *
   * @param run runs each of its queries
   */
  read(
    connections: SqlDriverAdapter,
    run: RunQuery,
    after: bigint | undefined,
    limits: PageLimits,
  ): AsyncIterable<readonly StoredPlant[]>;
}
