import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { PageLimits, StoredPlant } from '../../../plants/plant-store.js';
import type { Routing } from '../../../plants/routing.js';
import type { RunQuery } from '../../queries/nest-runners.js';
import type { PlantRow } from '../../queries/resolve-insert-outcomes.js';

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
