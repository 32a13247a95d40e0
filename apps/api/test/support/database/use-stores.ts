import type { Plant } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import type { Store } from '@plant-store/records';
import { afterAll } from 'vitest';
import type { OpenStore } from '../../../../../packages/records/test/conformance/index.js';
import { type Garden, garden } from '../../../../../packages/records/test/garden.js';
import type { Database } from '../../../src/store/database.js';
import type { RecordStore } from '../../../src/store/store.js';
import { allTables, tableOf } from '../../../src/store/table.js';
import { createTestQueue, highQueueLimits } from '../plants/create-test-queue.js';
import { distributeStandIn } from '../postgresql/stand-in-citus.js';
import { createTestDatabase, openTestDatabase } from './create-test-database.js';
import type { StoreKind } from './use-plant-store.js';

/** The resource with a field of each kind, unless the service has it. */
const added = garden.name in resources ? [] : [garden];

/** The tables of all resources, and of gardens. */
export const tables = [...allTables, ...added.map(tableOf)];

/** Creates an empty database with these tables, and opens it. */
export async function openStores(kind: StoreKind) {
  const hasShards = kind === 'postgresql with shards';
  const testDatabase = await createTestDatabase(hasShards ? 'postgresql' : kind, added);
  if (hasShards) await distributeStandIn(testDatabase.url, tables);
  const database = await openTestDatabase(testDatabase, {}, {}, { tables });
  const stores = database.stores as unknown as { plant: RecordStore<Plant>; garden: RecordStore<Garden> };
  return {
    database,
    stores,
    testDatabase,
    async close() {
      await database.close();
      await testDatabase.remove();
    },
  };
}

/** Opens the store of a resource for one caller, in a new database with these tables. It writes through a queue. */
export async function openStore<Fields extends object>(
  kind: StoreKind,
  { name, plural }: Resource,
): Promise<OpenStore<Fields>> {
  const { database, testDatabase, close } = await openStores(kind);
  return {
    store: storeOf(database, name),
    async empty() {
      for (const table of [plural, `${plural}_history`]) await testDatabase.query(`DELETE FROM ${table}`);
    },
    hasChanges: kind !== 'postgresql with shards' && kind !== 'citus',
    invalidateCursors: database.invalidateCursors,
    close,
  };
}

const limits = { ...highQueueLimits, queueRecords: 10_000, queueBytes: 1e8 };

function storeOf<Fields extends object>(database: Database, name: string): Store<Fields> {
  const queue = createTestQueue(database, { tables, limits });
  const stores = database.stores as unknown as Readonly<Record<string, RecordStore<Fields>>>;
  const records = stores[name];
  if (records === undefined) throw new Error(`There is no store of ${name}`);
  return {
    create: (record) => queue.writerOf<Fields>(name, record.addedBy ?? 1).create(record),
    change: (change) => queue.writerOf<Fields>(name, change.by ?? 1).change(change),
    find: async (id) => (await records.find([id]))[0],
    list: records.list,
    countAll: records.countAll,
    countValues: records.countValues,
    listChanges: records.listChanges,
    lastChange: records.lastChange,
    listStates: records.listStates,
  };
}

export const { plant } = resources;
export { garden };

/** Other tests, which share loaded modules, have no gardens. */
export const forgetGardens = () =>
  afterAll(() => {
    for (const name of ['invalid_garden', 'garden_not_found']) Reflect.deleteProperty(errors, name);
  });
