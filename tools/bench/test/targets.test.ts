import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../src/databases/database.js';
import { sqliteIn } from '../src/databases/sqlite.js';
import { type PostgresqlServer, startPostgresql } from '../src/databases/start-postgresql.js';
import { killProcesses } from '../src/processes/start-process.js';
import { startTarget } from '../src/processes/start-target.js';
import { allTargets, postgresqlTargets } from '../src/targets/all-targets.js';
import type { Target } from '../src/targets/target.js';
import { isNightly } from './support/is-nightly.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Both ends of the range of ids that the load uses, and one id outside of it. */
const ids = [10 ** 15, Number.MAX_SAFE_INTEGER, 7];

const storedRows = [
  { id: 7, name: 'plant 7', tag: 'tree' },
  { id: 8, name: 'untagged', tag: null },
  { id: ids[0], name: `plant ${ids[0]}`, tag: 'tree' },
  { id: ids[1], name: `plant ${ids[1]}`, tag: 'tree' },
];

afterAll(killProcesses);

async function post(baseUrl: string, token: string | undefined, body: string) {
  const response = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, text: await response.text() };
}

/** Starts a target, has it store `storedRows` and reject invalid requests, and stops it. */
async function exercise(target: Target, database: Database, folder: string): Promise<void> {
  const { baseUrl, token, readPeakMemory, stop } = await startTarget(target, database, folder);

  for (const id of ids) {
    const { status, text } = await post(
      baseUrl,
      token,
      JSON.stringify({ id, name: `plant ${id}`, tag: 'tree' }),
    );
    expect({ status, body: JSON.parse(text) }).toEqual({
      status: 200,
      body: { name: `plant ${id}`, tag: 'tree' },
    });
  }
  const untagged = await post(baseUrl, token, '{"id":8,"name":"untagged"}');
  expect({ ...untagged, text: JSON.parse(untagged.text) }).toEqual({
    status: 200,
    text: { name: 'untagged' },
  });

  for (const body of [
    '{',
    '{}',
    '{"id":"9","name":"a"}',
    '{"id":9.5,"name":"a"}',
    '{"id":9,"name":"a","tag":1}',
  ]) {
    expect(await post(baseUrl, token, body), body).toMatchObject({ status: 400 });
  }
  for (const wrongToken of [undefined, 'wrong', `${token}x`]) {
    expect(await post(baseUrl, wrongToken, '{"id":9,"name":"a"}')).toMatchObject({ status: 401 });
  }

  expect(await readPeakMemory()).toBeGreaterThan(2 ** 20);
  await stop();
}

/** By default the service and one of the other targets, since each takes seconds; in the mode `nightly` all of them. */
function selectTested(targets: readonly Target[], other: string): Target[] {
  return targets.filter(({ name }) => isNightly || name === 'plant-store' || name === other);
}

describe('on SQLite', () => {
  it.each(
    selectTested(
      allTargets.filter(({ stores }) => stores),
      'fastify-sqlite',
    ),
  )(
    '$title stores what it acknowledges and rejects what the others reject, or names what it needs',
    async (target) => {
      if (target.whyLeftOut?.() !== undefined) {
        // Only what is not part of this repository may be missing.
        expect(target).toMatchObject({ name: 'go-sqlite' });
        expect(target.whyLeftOut()).toMatch(/^apt-get install \S/);
        return;
      }
      const folder = temporaryFolder();
      const database = sqliteIn(folder);
      await exercise(target, database, folder);
      expect(await database.countPlants()).toBe(storedRows.length);
      const file = new Sqlite(database.path);
      expect(file.prepare('SELECT id, name, tag FROM plants ORDER BY id').all()).toEqual(storedRows);
      expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
      file.close();
    },
  );
});

describe('on PostgreSQL', () => {
  let server: PostgresqlServer;
  let serverFolder: string;

  beforeAll(async () => {
    serverFolder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
    server = await startPostgresql(serverFolder);
  });

  afterAll(async () => {
    await server.stop();
    expect(readdirSync(serverFolder)).toEqual(['postgresql.log']);
    rmSync(serverFolder, { recursive: true });
  });

  it.each(selectTested(postgresqlTargets, 'express-prisma'))(
    '$title stores what it acknowledges, and rejects what the others reject',
    async (target) => {
      const database = await server.createDatabase(temporaryFolder());
      await exercise(target, database, temporaryFolder());
      expect(await database.countPlants()).toBe(storedRows.length);
      const rows = await query(database.url, 'SELECT id::float8, name, tag FROM plants ORDER BY id');
      const settings = await query(
        database.url,
        `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') ORDER BY name`,
      );
      expect(rows).toEqual(storedRows);
      expect(settings).toEqual([
        { name: 'fsync', setting: 'on' },
        { name: 'synchronous_commit', setting: 'on' },
      ]);
      await database.remove();
    },
  );
});
