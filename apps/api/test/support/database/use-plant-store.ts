import type { NewPlant } from '@plant-store/contract';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { PlantRecord, PlantStore } from '../../../src/plants/plant-store.js';
import type { Database } from '../../../src/store/database.js';
import { isTombstone, type Tombstone } from '../../../src/store/store.js';
import { collect } from '../collect.js';
import { createStandInCitus } from '../postgresql/stand-in-citus.js';
import { createTestDatabase, openTestDatabase } from './create-test-database.js';
import { enginesOfStore, type TestEngine } from './engines.js';
import type { TestDatabase } from './test-database.js';

/** Page limits that no test reaches by accident. */
export const highPageLimits = { plants: 1_000, bytes: 2 ** 20 };

/** What a tested store is on; the last has a catalog that has shards of the plants table, as that of Citus. */
type StoreKind = TestEngine | 'postgresql with shards';

/** On what the tests of the store run that hold without a cluster, too, where the table seems to be distributed. */
export function storesWithShards(): readonly StoreKind[] {
  const kinds = enginesOfStore();
  return kinds.includes('postgresql') ? [...kinds, 'postgresql with shards'] : kinds;
}

/** Opens the plant store of an empty database for the calling suite; it is emptied after each test. */
export function usePlantStore(kind: StoreKind) {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    const hasShards = kind === 'postgresql with shards';
    testDatabase = await createTestDatabase(hasShards ? 'postgresql' : kind);
    if (hasShards) await addShards(testDatabase);
    // An insert waits as long while another program has locked the plants.
    database = await openTestDatabase(testDatabase, { DATABASE_STATEMENT_TIMEOUT_MS: '3000' });
  });
  afterEach(() => testDatabase.query('DELETE FROM plants'));
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  // The database is opened after the suite has called this function.
  const store: PlantStore = {
    create: (plants) => database.plants.create(plants),
    change: (changes) => database.plants.change(changes),
    listChanges: (after, limits) => database.plants.listChanges(after, limits),
    lastChange: () => database.plants.lastChange(),
    find: (ids) => database.plants.find(ids),
    list: (query, limits) => database.plants.list(query, limits),
    read: (after, limits) => database.plants.read(after, limits),
  };
  const forTests: Pick<TestDatabase, 'query' | 'beginOutage'> = {
    query: (sql) => testDatabase.query(sql),
    beginOutage: (kind) => testDatabase.beginOutage(kind),
  };
  const readAll = async (after?: bigint): Promise<readonly (NewPlant | Tombstone)[]> =>
    (await collect(store.read(after, highPageLimits))).flat().map(withoutTime);
  return { store, testDatabase: forTests, readAll };
}

/** A plant as it was created, or a tombstone. */
export function withoutTime(record: PlantRecord): NewPlant | Tombstone {
  if (isTombstone(record)) return record;
  const { addedAt: _, original: __, ...plant } = record;
  return plant;
}

async function addShards(testDatabase: TestDatabase): Promise<void> {
  // This creates the table.
  await (await openTestDatabase(testDatabase)).close();
  await createStandInCitus(testDatabase.url, { nodes: 2 });
  await testDatabase.query(`SELECT create_distributed_table('plants', 'id', 4, 'none')`);
}
