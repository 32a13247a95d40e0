import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewPlant } from '@plant-store/contract';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../database.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  database = await openSqlite(join(folder, 'plant-store.db'));
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const stored = { stored: true };
const refused = (existing: NewPlant) => ({ stored: false, existing });

it('stores many plants and answers each in order', async () => {
  const plants = [
    { id: 9223372036854775807n, name: 'last', tag: '' },
    { id: -9223372036854775808n, name: 'first' },
    { id: 9007199254740993n, name: '"quotes", \\ and \u0001', tag: '🌱' },
  ];
  expect(await database.plants.insert(plants)).toEqual([stored, stored, stored]);
  expect(await database.plants.insert(plants)).toEqual(plants.map(refused));
});

it('answers one call as it would one plant after the other', async () => {
  await database.plants.insert([{ id: 1n, name: 'old' }]);
  const outcomes = await database.plants.insert([
    { id: 1n, name: 'new' },
    { id: 2n, name: 'first' },
    { id: 2n, name: 'second' },
    { id: 3n, name: 'other' },
    { id: 1n, name: 'old' },
    { id: 2n, name: 'first' },
  ]);
  const old = refused({ id: 1n, name: 'old' });
  const first = refused({ id: 2n, name: 'first' });
  expect(outcomes).toEqual([old, stored, first, stored, old, first]);
});

it('stores nothing for nothing', async () => {
  expect(await database.plants.insert([])).toEqual([]);
});

it('stores all plants of a call or none', async () => {
  const other = new Sqlite(join(folder, 'plant-store.db'));
  other.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN NEW.id = 2
    BEGIN SELECT RAISE(ABORT, 'the second fails'); END`);
  const plants = [1n, 2n, 3n].map((id) => ({ id, name: 'x' }));
  await expect(database.plants.insert(plants)).rejects.toThrow('the second fails');
  expect(other.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(0);
  other.close();
});

it('says that the database is unavailable while another program holds it', async () => {
  const other = new Sqlite(join(folder, 'plant-store.db'));
  other.exec('BEGIN IMMEDIATE');
  await expect(database.plants.insert([{ id: 1n, name: 'x' }])).rejects.toMatchObject({
    errorName: 'database_unavailable',
    headers: { 'Retry-After': '1' },
    cause: expect.anything(),
  });
  await expect(database.accessTokens.revoke(1, new Date())).rejects.toMatchObject({
    errorName: 'database_unavailable',
  });
  other.exec('ROLLBACK');
  other.close();
  expect(await database.plants.insert([{ id: 1n, name: 'x' }])).toEqual([stored]);
});
