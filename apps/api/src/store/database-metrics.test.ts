import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import { Registry } from '@prometheus-io/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import { parseConfig } from '../config.js';
import { openDatabase } from './open-database.js';

/** Opens a new database until the end of the test. */
async function open(url: string) {
  const metrics = new Registry();
  const database = await openDatabase(parseConfig({ DATABASE_URL: url }, '/').database, { metrics });
  onTestFinished(() => database.close());
  const readValue = async (name: string) => {
    const line = (await metrics.metrics()).split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  return { database, readValue };
}

it('SQLite measures its checkpoints', async () => {
  const { database, readValue } = await open(`file:${join(temporaryFolder(), 'plant-store.db')}`);
  expect(await readValue('plant_store_sqlite_wal_pages')).toBe(0);
  const plants = Array.from({ length: 100 }, (_, index) => ({ id: BigInt(index), name: 'x'.repeat(10_000) }));
  await database.plants.create(plants);
  await until(async () => (await readValue('plant_store_sqlite_wal_pages')) > 100);
  expect(await readValue('plant_store_sqlite_checkpoint_duration_seconds_count')).toBeGreaterThan(0);
  expect(await readValue('plant_store_sqlite_checkpoint_duration_seconds_sum')).toBeGreaterThan(0);
});

it('PostgreSQL shows its connections', async () => {
  const { database, readValue } = await open(await createDatabase(inject('postgresqlUrl')));
  const idle = 'plant_store_postgresql_connections{state="idle"}';
  const inUse = 'plant_store_postgresql_connections{state="in_use"}';
  expect([await readValue(idle), await readValue(inUse)]).toEqual([0, 0]);
  const inserts = [1n, 2n, 3n].map((id) => database.plants.create([{ id, name: 'Fern' }]));
  expect(await readValue(inUse)).toBe(3);
  await Promise.all(inserts);
  expect([await readValue(idle), await readValue(inUse)]).toEqual([3, 0]);
  expect(await readValue('plant_store_postgresql_waiting_queries')).toBe(0);
});
