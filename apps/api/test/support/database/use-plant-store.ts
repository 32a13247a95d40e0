import type { NewPlant } from '@plant-store/contract';
import { isTombstone, type Tombstone } from '@plant-store/records';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Database } from '../../../src/store/database.js';
import { collect } from '../collect.js';
import type { PlantRecord, PlantStore } from '../plants/plants-of.js';
import { distributeStandIn } from '../postgresql/stand-in-citus.js';
import { createTestDatabase, openTestDatabase } from './create-test-database.js';
import { enginesOfStore, type TestEngine } from './engines.js';
import type { TestDatabase } from './test-database.js';

/** Page limits that no test reaches by accident. */
export const highPageLimits = { records: 1_000, bytes: 2 ** 20 };

/** The kinds of stores under test. The last one has tables that seem to be distributed by Citus, without a cluster. */
export type StoreKind = TestEngine | 'postgresql with shards';

/** The stores for tests that also hold for distributed tables. */
export function storesWithShards(): readonly StoreKind[] {
  const kinds = enginesOfStore();
  return kinds.includes('postgresql') ? [...kinds, 'postgresql with shards'] : kinds;
}

/**
 * Opens the plant store of an empty database for the calling suite. It is emptied after each test.
 *
 * @param statementTimeoutMs how long a statement waits, for example for another program that has locked the plants. The default is more than a
 * slow machine needs.
 */
export function usePlantStore(kind: StoreKind, statementTimeoutMs = 120_000) {
  const testDatabase = {} as TestDatabase;
  const store = {} as PlantStore;
  let database: Database;
  beforeAll(async () => {
    const hasShards = kind === 'postgresql with shards';
    Object.assign(testDatabase, await createTestDatabase(hasShards ? 'postgresql' : kind));
    if (hasShards) await distributeStandIn(testDatabase.url);
    const environment = { DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs) };
    database = await openTestDatabase(testDatabase, environment);
    Object.assign(store, database.stores.plant);
  });
  afterEach(async () => {
    for (const table of ['plants', 'plants_history']) await testDatabase.query(`DELETE FROM ${table}`);
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  const readAll = async (after?: bigint): Promise<readonly (NewPlant | Tombstone)[]> =>
    (await collect(store.read(after, highPageLimits))).flat().map(withoutTime);
  return { store, testDatabase, readAll };
}

/** A plant as it was created, or a tombstone. */
export function withoutTime(record: PlantRecord): NewPlant | Tombstone {
  if (isTombstone(record)) return record;
  const { addedAt: _, original: __, ...plant } = record;
  return plant;
}
