import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runComparison } from '../src/comparison/run-comparison.js';
import { selectTargets } from '../src/comparison/select-targets.js';
import type { Database, DatabaseEngine } from '../src/databases/database.js';
import { sqlite, sqliteIn } from '../src/databases/sqlite.js';
import { type PostgresqlServer, startPostgresql } from '../src/databases/start-postgresql.js';
import { killProcesses } from '../src/processes/start-process.js';
import { startTarget } from '../src/processes/start-target.js';
import { allTargets, postgresqlTargets } from '../src/targets/all-targets.js';
import type { Target } from '../src/targets/target.js';

/** Both ends of the range of ids that the load uses, and one id outside of it. */
const ids = [10 ** 15, Number.MAX_SAFE_INTEGER, 7];

const storedRows = [
  { id: 7, name: 'plant 7', tag: 'tree' },
  { id: 8, name: 'untagged', tag: null },
  { id: ids[0], name: `plant ${ids[0]}`, tag: 'tree' },
  { id: ids[1], name: `plant ${ids[1]}`, tag: 'tree' },
];

afterAll(killProcesses);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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

const shortComparison = { rounds: 1, seconds: 0.3, warmupSeconds: 0.1, connections: [2] };

describe('on SQLite', () => {
  it.each(allTargets.filter(({ stores }) => stores))(
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

  it('a comparison measures every target, counts what is stored, and leaves no file', async () => {
    const folder = temporaryFolder();
    const targets = selectTargets(allTargets, () => undefined);
    const runs = await runComparison(
      targets,
      sqlite,
      { ...shortComparison, rounds: 2 },
      { folder, log: () => undefined },
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(runs.map(({ target, round }) => `${target} ${round}`)).toEqual(
      targets.flatMap(({ name }) => [`${name} 1`, `${name} 2`]),
    );
    for (const run of runs) {
      expect(run).toMatchObject({ valid: true, errors: 0, errorCounts: {} });
      expect(run.acknowledged).toBeGreaterThan(0);
      expect(run.requestsPerSecond).toBeGreaterThan(0);
    }
    for (const { name } of targets.filter(({ stores }) => stores)) {
      const [first, second] = runs.filter(({ target }) => target === name);
      const acknowledged = (first?.acknowledged ?? 0) + (second?.acknowledged ?? 0);
      expect(first?.storedPlants).toBeGreaterThanOrEqual(acknowledged);
      expect(second?.storedPlants).toBe(first?.storedPlants);
    }
  });
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

  it.each(postgresqlTargets)(
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

  it('a comparison measures every target, counts what is stored, and leaves no file', async () => {
    const folder = temporaryFolder();
    const runs = await runComparison(postgresqlTargets, server, shortComparison, {
      folder,
      log: () => undefined,
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(runs.map(({ target }) => target)).toEqual(postgresqlTargets.map(({ name }) => name));
    for (const run of runs) {
      expect(run).toMatchObject({ valid: true, errors: 0, errorCounts: {} });
      expect(run.acknowledged).toBeGreaterThan(0);
      expect(run.storedPlants).toBeGreaterThanOrEqual(run.acknowledged);
    }
  });

  it('a target that lost an acknowledged plant is not valid', async () => {
    const forgetful: DatabaseEngine = {
      title: 'forgetful',
      async createDatabase(folder) {
        const database = await server.createDatabase(folder);
        return { ...database, countPlants: async () => (await database.countPlants()) - 1_000_000 };
      },
    };
    const [run] = await runComparison(postgresqlTargets.slice(0, 1), forgetful, shortComparison, {
      folder: temporaryFolder(),
      log: () => undefined,
    });
    expect(run).toMatchObject({ valid: false });
  });
});
