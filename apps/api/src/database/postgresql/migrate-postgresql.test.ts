import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database/create-test-database.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import { until } from '../../../test/support/until.js';
import { readMigrations } from '../migrations/read-migrations.js';
import { migratePostgresql } from './migrate-postgresql.js';

let database: TestDatabase;
let clients: pg.Client[] = [];
beforeEach(async () => {
  database = await createTestDatabase('postgresql');
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await database.remove();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
}

const migrations = readMigrations('postgresql');
const lookUp = 'SELECT id FROM access_tokens';
const countWaiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'access_tokens'::regclass`;

it('lets running instances go on while it waits for a table, and is applied once that is free', async () => {
  const [migrating, dump, instance] = [await connect(), await connect(), await connect()];
  await migratePostgresql(migrating, 'public', migrations.slice(0, 1));
  await dump.query(`BEGIN; ${lookUp}`);

  const applied = migratePostgresql(migrating, 'public', migrations);
  await until(async () => (await database.query<{ waiting: number }>(countWaiting))[0]?.waiting === 1);
  // It waits behind the migration, which waits for the dump.
  await instance.query(lookUp);
  await dump.query('COMMIT');
  expect(await applied).toEqual(migrations.slice(1).map(({ name }) => name));
});
