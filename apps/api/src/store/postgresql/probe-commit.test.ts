import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import type { Database } from '../database.js';
import { createProbeCommit, probeCommit } from './probe-commit.js';

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
  ['a constraint rejects the plant', 'ALTER TABLE plants ADD CHECK (id > 0)'],
  ['an additional column rejects the plant', 'ALTER TABLE plants ADD COLUMN height INTEGER NOT NULL'],
  ['the database has no PL/pgSQL', 'DROP EXTENSION plpgsql'],
])('passes and stores nothing when %s', async (_, change) => {
  await query(url, change);
  await expect(database.probeCommit()).resolves.toBeUndefined();
  await expect(database.probeCommit()).resolves.toBeUndefined();
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
});

it('probes the id that is passed, whether or not it is taken, and stores nothing', async () => {
  await database.plants.create([{ id: 2n, name: 'Monstera' }]);
  await query(
    url,
    `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'worker is away' USING ERRCODE = '08006'; END $$;
     CREATE TRIGGER reject BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.id % 2 = 1) EXECUTE FUNCTION reject()`,
  );
  const pool = openPool();
  await expect(probeCommit(pool, 1n)).rejects.toMatchObject({ code: '08006' });
  for (const id of [2n, 4n]) await expect(probeCommit(pool, id)).resolves.toBeUndefined();
  expect(await query(url, 'SELECT id FROM plants')).toEqual([{ id: '2' }]);
});

it('uses one connection, however many probes hang', async () => {
  await query(
    url,
    `CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
     CREATE TRIGGER hang BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION hang()`,
  );
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  const pool = openPool();
  const probe = createProbeCommit(pool);
  const probes = [probe(), probe(), probe()];
  expect(pool.totalCount).toBe(1);
  await holder.end();
  expect(await Promise.all(probes)).toEqual([undefined, undefined, undefined]);
  await expect(probe()).resolves.toBeUndefined();
});
