import { createDatabase, query } from '@plant-store/postgresql-server';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import type { Database } from '../database.js';

let url = '';
let database: Database;
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
  database = await openTestDatabase({ url });
});
afterEach(() => database.close());

it.each([
  ['a constraint rejects the plant', 'ALTER TABLE plants ADD CHECK (id > 0)'],
  ['an additional column rejects the plant', 'ALTER TABLE plants ADD COLUMN height INTEGER NOT NULL'],
  ['the database has no PL/pgSQL', 'DROP EXTENSION plpgsql'],
])('passes and stores nothing when %s', async (_, change) => {
  await query(url, change);
  await expect(database.tryCommit()).resolves.toBeUndefined();
  await expect(database.tryCommit()).resolves.toBeUndefined();
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
});
