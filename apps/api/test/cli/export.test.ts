import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import Database from 'better-sqlite3';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { fillStore } from '../support/process/fill-store.js';
import { main, runCommand, startCommand } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const plants = [
  [-9223372036854775808n, '', null],
  [-9007199254740993n, 'Ficus "elastica" \\ \u0001\u2028', ''],
  [0n, 'Café 🌱 \u{10FFFF}', 'a\nb'],
  [9007199254740993n, '\uFEFF', 'tag'],
  [9223372036854775807n, 'Monstera', null],
] as const;

/** When a plant was stored, if that is known. */
const time = /,"addedAt":(null|"\d{4}-\d\d-\d\dT[\d:.]+Z")/g;

it('writes every plant exactly, sorted by id, so that an import recreates the store', async () => {
  const folder = temporaryFolder();
  await fillStore(folder, [...plants].reverse());
  const exported = await runCommand(['export'], { folder });
  expect(exported).toMatchObject({ exitCode: 0, stderr: '5 plants exported.\n' });
  expect(exported.stdout.match(time)).toHaveLength(5);
  expect(exported.stdout.replace(time, '')).toBe(
    [
      '{"id":-9223372036854775808,"name":""}',
      '{"id":-9007199254740993,"name":"Ficus \\"elastica\\" \\\\ \\u0001\u2028","tag":""}',
      '{"id":0,"name":"Café 🌱 \u{10FFFF}","tag":"a\\nb"}',
      '{"id":9007199254740993,"name":"\uFEFF","tag":"tag"}',
      '{"id":9223372036854775807,"name":"Monstera"}',
      '',
    ].join('\n'),
  );

  const file = join(folder, 'plants.ndjson');
  expect(await runInProcess(['export', '--output', file], { folder })).toMatchObject({
    exitCode: 0,
    stdout: '',
  });
  expect(readFileSync(file, 'utf8')).toBe(exported.stdout);
  for (const DATABASE_URL of ['file:other.db', await createDatabase(inject('postgresqlUrl'))]) {
    const other = { folder, environment: { DATABASE_URL } };
    expect(await runInProcess(['import', file], other)).toEqual({
      exitCode: 0,
      stdout: '5 imported, 0 already there, 0 bad\n',
      stderr: '',
    });
    expect((await runInProcess(['export'], other)).stdout).toBe(exported.stdout);
  }
});

it('moves several pages of plants to PostgreSQL and back, and skips existing ones', async () => {
  const folder = temporaryFolder();
  const ids = Array.from({ length: 2_500 }, (_, index) => BigInt(index) * 7_000_000_000_000_000n - 2n ** 63n);
  await fillStore(
    folder,
    ids.map((id) => [id, `plant ${id}`, null]),
  );
  const exported = join(folder, 'plants.ndjson');
  await runInProcess(['export', '--output', exported], { folder });
  const environment = { DATABASE_URL: await createDatabase(inject('postgresqlUrl')) };
  for (const stdout of [
    '2500 imported, 0 already there, 0 bad\n',
    '0 imported, 2500 already there, 0 bad\n',
  ]) {
    expect(await runInProcess(['import', exported], { folder, environment })).toMatchObject({ stdout });
  }
  expect((await runInProcess(['export'], { folder, environment })).stdout).toBe(
    readFileSync(exported, 'utf8'),
  );
});

it('writes more than one page, each plant once', async () => {
  const folder = temporaryFolder();
  const ids = Array.from({ length: 2_500 }, (_, index) => BigInt(index) - 1_250n);
  await fillStore(
    folder,
    ids.map((id) => [id, `plant ${id}`, null]),
  );
  const { stdout } = await runInProcess(['export'], { folder });
  expect(stdout).toBe(ids.map((id) => `{"id":${id},"name":"plant ${id}","addedAt":null}\n`).join(''));
});

it('creates a file readable only by this user, and never overwrites a file', async () => {
  const folder = temporaryFolder();
  await fillStore(folder, [[1n, 'Fern', null]]);
  await runInProcess(['export', '--output', 'plants.ndjson'], { folder });
  const file = join(folder, 'plants.ndjson');
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const { mtimeNs } = statSync(file, { bigint: true });
  expect(await runInProcess(['export', '--output', 'plants.ndjson'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: `plant-store: The file ${file} exists already and was left unchanged. Choose another name.\n`,
  });
  expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
  expect(readdirSync(folder).toSorted()).toEqual(['data', 'plants.ndjson']);
});

it('exits quietly if its output is closed, as by head', async () => {
  const folder = temporaryFolder();
  // More than a pipe holds.
  await fillStore(
    folder,
    Array.from({ length: 3_000 }, (_, id) => [BigInt(id), 'x'.repeat(200), null]),
  );
  const { process, end } = startCommand(['export'], { folder });
  process.stdout?.once('data', () => process.stdout?.destroy());
  expect(await end()).toMatchObject({ exitCode: 1, stderr: '' });
});

const fullDisk = '/dev/full';
// Linux, where CI runs, has a device that is always full.
it.runIf(existsSync(fullDisk))('reports an output that cannot be written', async () => {
  const folder = temporaryFolder();
  await fillStore(folder, [[1n, 'Fern', null]]);
  const child = spawn(process.execPath, [main, 'export'], {
    cwd: folder,
    env: {},
    stdio: ['ignore', openSync(fullDisk, 'w'), 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(stderr).toContain('plant-store: Standard output cannot be written: ENOSPC');
});

it('reads no further ahead than a full pipe allows', async () => {
  const folder = temporaryFolder();
  await fillStore(
    folder,
    Array.from({ length: 3_000 }, (_, id) => [BigInt(id), 'x'.repeat(2_000), null]),
  );
  const { process, end } = startCommand(['export'], { folder });
  process.stdout?.pause();
  // It has not read ahead, so it exports a row inserted while it waits.
  const database = new Database(join(folder, 'data/plant-store.db'));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  database.prepare('INSERT INTO plants (id, name) VALUES (?, ?)').run(5_000, 'late');
  database.close();
  process.stdout?.resume();
  const { exitCode, stdout } = await end();
  expect(exitCode).toBe(0);
  expect(stdout.endsWith('{"id":5000,"name":"late","addedAt":null}\n')).toBe(true);
});

it.each(['export', 'delete 1', 'backup copy.db', 'token list', 'token revoke 1', 'token export'])(
  'does not create a missing store: %s',
  async (command) => {
    const folder = temporaryFolder();
    expect(await runInProcess(command.split(' '), { folder })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `plant-store: There is no database ${join(folder, 'data/plant-store.db')}. Set DATABASE_URL to that of a plant store.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  },
);
