import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { onInsert } from '../../../test/support/postgresql/use-connections.js';
import type { Database } from '../database.js';
import { createCommitProbe } from './probe-commit.js';

let url = '';
let database: Database;
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
  database = await openTestDatabase({ url });
});
afterEach(() => database.close());

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  return pool;
}

it.each([
  ['an additional column rejects the plant', 'ALTER TABLE plants ADD COLUMN height INTEGER NOT NULL'],
  ['the database has no PL/pgSQL', 'DROP EXTENSION plpgsql CASCADE'],
])('passes and stores nothing when %s', async (_, change) => {
  await query(url, change);
  for (let time = 0; time < 2; time++) await database.probeCommit();
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
});

it('uses one connection, no matter how many probes hang', async () => {
  await query(url, onInsert('PERFORM pg_advisory_xact_lock(1)'));
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  const pool = openPool();
  const probe = createCommitProbe(pool);
  const probes = [probe(), probe(), probe()];
  expect(pool.totalCount).toBe(1);
  await holder.end();
  expect(await Promise.all(probes)).toEqual([undefined, undefined, undefined]);
  await probe();
});
