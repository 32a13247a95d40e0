import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { fillStore, readRows } from '../support/process/fill-store.js';
import { issueToken, runCommand, startCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

it('copies every plant acknowledged before it started, during writes, into a store that can be served', async () => {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder });
  const token = await issueToken({ folder });
  const client = createClient({ baseUrl, token });
  const acknowledged: number[] = [];
  let writing = true;
  let nextId = 1;
  const createContinuously = async () => {
    while (writing) {
      const id = nextId++;
      expect((await client.createPlant({ body: { id, name: `plant ${id}` } })).status).toBe(200);
      acknowledged.push(id);
    }
  };
  const creating = Promise.all(Array.from({ length: 8 }, createContinuously));
  await until(() => acknowledged.length >= 500);
  const before = acknowledged.length;
  const copy = join(folder, 'copy.db');
  const result = await runCommand(['backup', 'copy.db'], { folder });
  writing = false;
  await creating;
  await command.end('SIGTERM');

  const rows = readRows(copy);
  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `${rows.length} plants copied to ${copy}, and the copy checked.\n`,
  });
  const ids = new Set(rows.map(([id]) => Number(id)));
  expect(acknowledged.slice(0, before).filter((id) => !ids.has(id))).toEqual([]);
  expect(rows).toEqual([...ids].map((id) => [BigInt(id), `plant ${id}`, null]));

  const restored = await startServe({ folder, environment: { DATABASE_URL: 'file:copy.db' } });
  const other = createClient({ baseUrl: restored.baseUrl, token });
  const [first = 0] = acknowledged;
  const replayed = await other.createPlant({ body: { id: first, name: `plant ${first}` } });
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  await restored.command.end('SIGTERM');
});

it('creates one file, readable only by this user, and never overwrites a file', async () => {
  const folder = temporaryFolder();
  await fillStore(folder, [[1n, 'Fern', null]]);
  const backups = join(folder, 'backups');
  mkdirSync(backups);
  const copy = join(backups, 'copy.db');
  expect(await runInProcess(['backup', copy], { folder })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(backups)).toEqual(['copy.db']);
  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
  const before = readFileSync(copy);
  expect(await runInProcess(['backup', copy], { folder })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `plant-store: The file ${copy} exists already and was left unchanged. Choose another name.\n`,
  });
  expect(readFileSync(copy).equals(before)).toBe(true);
  expect(readdirSync(backups)).toEqual(['copy.db']);
});

it('does not change the database, even with pending migrations', async () => {
  const folder = temporaryFolder();
  const path = await fillStore(folder, [[1n, 'Fern', null]]);
  // Like a database of an older version: one migration is pending.
  const database = new Database(path);
  database.exec('UPDATE _prisma_migrations SET rolled_back_at = 1');
  database.close();
  const before = readFileSync(path);
  expect(await runInProcess(['backup', 'copy.db'], { folder })).toMatchObject({ exitCode: 0 });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readRows(join(folder, 'copy.db'))).toEqual([[1n, 'Fern', null]]);
  expect(readdirSync(join(folder, 'data'))).toEqual(['plant-store.db']);
});

it.each([
  {
    problem: 'a newer version',
    damage: (path: string) =>
      execute(path, `UPDATE _prisma_migrations SET migration_name = '99990101000000_later'`),
    reason: 'which this version does not have',
  },
  {
    problem: "another program's database",
    damage: (path: string) => execute(path, 'DROP TABLE _prisma_migrations'),
    reason: 'it belongs to another program',
  },
  {
    problem: 'a file that is not a database',
    damage: (path: string) => writeFileSync(path, 'This is a text of some length. '.repeat(100)),
    reason: 'cannot be copied: file is not a database',
  },
  {
    problem: 'a damaged database',
    damage: (path: string) => {
      const content = readFileSync(path);
      writeFileSync(path, content.fill(0xff, content.length - 4_096));
    },
    reason: 'cannot be copied: database disk image is malformed',
  },
])('copies nothing from $problem', async ({ damage, reason }) => {
  const folder = temporaryFolder();
  damage(
    await fillStore(
      folder,
      Array.from({ length: 1_000 }, (_, id) => [BigInt(id), 'x'.repeat(50), null]),
    ),
  );
  const { exitCode, stderr } = await runInProcess(['backup', 'copy.db'], { folder });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(reason);
  expect(readdirSync(folder)).toEqual(['data']);
});

it('leaves no files behind when it is stopped', async () => {
  const folder = temporaryFolder();
  const path = await fillStore(
    folder,
    Array.from({ length: 1_000 }, (_, id) => [BigInt(id), 'Fern', null]),
  );
  // It waits for the lock on the file, so it does not exit before it is stopped.
  const database = new Database(path);
  database.pragma('journal_mode = DELETE');
  database.exec('BEGIN EXCLUSIVE');
  const command = startCommand(['backup', 'copy.db'], { folder });
  await until(() => readdirSync(folder).length > 1);
  const { exitCode, stderr } = await command.end('SIGTERM');
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'plant-store: Stopped by SIGTERM.\n' });
  expect(readdirSync(folder)).toEqual(['data']);
  database.close();
});

it('recommends pg_dump for PostgreSQL', async () => {
  const environment = { DATABASE_URL: 'postgresql://127.0.0.1:1/plants' };
  expect(await runInProcess(['backup', 'copy.db'], { folder: temporaryFolder(), environment })).toMatchObject(
    {
      exitCode: 1,
      stderr: expect.stringContaining('pg_dump'),
    },
  );
});

function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}
