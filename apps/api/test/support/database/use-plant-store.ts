import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Database } from '../../../src/database/database.js';
import type { PlantStore } from '../../../src/plants/plant-store.js';
import { createTestDatabase, openTestDatabase } from './create-test-database.js';
import type { Engine } from './engines.js';
import type { TestDatabase } from './test-database.js';

/** Page limits that no test reaches by accident. */
export const highPageLimits = { plants: 1_000, bytes: 2 ** 20 };

/** Opens the plant store of an empty database for the calling suite; it is emptied after each test. */
export function usePlantStore(engine: Engine) {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase);
  });
  afterEach(() => testDatabase.query('DELETE FROM plants'));
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  // The database is opened after the suite has called this function.
  const store: PlantStore = {
    insert: (plants) => database.plants.insert(plants),
    read: (after, limits) => database.plants.read(after, limits),
  };
  const forTests: Pick<TestDatabase, 'query' | 'beginOutage'> = {
    query: (sql) => testDatabase.query(sql),
    beginOutage: (kind) => testDatabase.beginOutage(kind),
  };
  return { store, testDatabase: forTests, readAll: () => store.read(undefined, highPageLimits) };
}
