import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Routing } from '../../../plants/routing.js';
import type { PlantRow } from '../../queries/resolve-insert-outcomes.js';

/** How plants reach the tables of a database, which may be distributed. */
export interface InsertStrategy {
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
}
