import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { type Database, sqlite, startPostgresql } from '../src/databases.js';
import { startTarget } from '../src/start-target.js';
import { allTargets, type Target } from '../src/targets.js';

const parent = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const createFolder = () => mkdtempSync(join(parent, 'target-'));

/** Both ends of the range of ids that the load uses, and one outside of it, without a tag. */
const plants = [
  { id: 100_000, name: 'untagged' },
  { id: 10 ** 15, name: 'smallest', tag: 'tree' },
  { id: Number.MAX_SAFE_INTEGER, name: 'largest', tag: 'tree' },
];
const stored = plants.map((plant) => ({ tag: null, ...plant }));
const invalid = ['{', '{}', '{"id":"9","name":"a"}', '{"id":9.5,"name":"a"}', '{"id":9,"name":"a","tag":1}'];

/** Starts a target, has it store `plants` besides its first one, and reject what is invalid; stops it, and returns how many it has. */
async function exercise(target: Target, { url }: Database): Promise<number> {
  const { baseUrl, token, stop } = await startTarget(target, url, createFolder());
  const create = async (body: string, authorization = `Bearer ${token}`) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const reply = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body });
    const replayed = reply.headers.get('idempotent-replayed');
    return { status: reply.status, text: await reply.text(), replayed };
  };
  for (const { id, ...rest } of plants) {
    const { status, text } = await create(JSON.stringify({ id, ...rest }));
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: rest });
  }
  if (target.has.includes('reads')) {
    const read = async (path: string) =>
      (await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
    expect(await read(`/plants/${10 ** 15}`)).toMatchObject({ name: 'smallest', tag: 'tree' });
    // The first was created by the start.
    const names = [expect.any(String), 'untagged', 'smallest'];
    expect(await read('/plants?limit=3')).toMatchObject({ plants: names.map((name) => ({ name })) });
  }
  for (const body of invalid) expect(await create(body), body).toMatchObject({ status: 400 });
  for (const wrong of ['', 'Bearer wrong', `Bearer ${token}x`]) {
    expect(await create('{"id":9,"name":"a"}', wrong), wrong).toMatchObject({ status: 401 });
  }
  const hasRetries = target.leavesOut?.includes('idempotent retries') !== true;
  if (hasRetries) {
    for (const plant of plants) {
      expect(await create(JSON.stringify(plant))).toMatchObject({ status: 200, replayed: 'true' });
    }
    // They arrive together, so that those with group commit have them in one batch.
    const rivals = ['a', 'b', 'c'].map((name) => create(JSON.stringify({ id: 99_999, name })));
    const statuses = (await Promise.all(rivals)).map(({ status }) => status).toSorted();
    const taken = expect.toBeOneOf([400, 409]);
    expect(statuses).toEqual([200, taken, taken]);
  }
  await stop();
  // With the first one, and one of the rivals.
  return plants.length + (hasRetries ? 2 : 1);
}

afterAll(() => rmSync(parent, { recursive: true }));

const rows = 'FROM plants WHERE id >= 100000 ORDER BY id';
const storing = allTargets.filter(({ has }) => has.includes('storage'));

it.each(storing)(
  '$title stores durably on SQLite what it acknowledges, or names what it needs',
  async (target) => {
    const missing = target.missing?.();
    if (missing !== undefined) {
      // Only what is not part of this repository may be missing.
      expect([target.name, missing]).toEqual(['go-sqlite', expect.stringMatching(/^apt-get install \S/)]);
      return;
    }
    const database = await sqlite.createDatabase(createFolder());
    const count = await exercise(target, database);
    expect(await database.countRecords()).toBe(count);
    const file = new Sqlite(database.url.replace('file:', ''));
    expect(file.prepare(`SELECT id, name, tag ${rows}`).all()).toEqual(stored);
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
    file.close();
  },
);

it('stores durably on PostgreSQL what each acknowledges that supports it', async () => {
  const engine = await startPostgresql(parent);
  for (const target of allTargets.filter(({ has }) => has.includes('postgresql'))) {
    const database = await engine.createDatabase(createFolder());
    const count = await exercise(target, database);
    expect(await database.countRecords()).toBe(count);
    expect(await query(database.url, `SELECT id::float8, name, tag ${rows}`)).toEqual(stored);
    const settings = `SELECT setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')`;
    expect(await query(database.url, settings)).toEqual([{ setting: 'on' }, { setting: 'on' }]);
  }
  await engine.stop();
});
