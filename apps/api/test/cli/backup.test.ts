import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { execute, fillStore, type Row, readRows, withoutStore } from '../support/process/fill-store.js';
import {
  failed,
  main,
  runCommand,
  startCommand,
  startStore,
  succeeded,
} from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const manyRows = Array.from({ length: 1_000 }, (_, id): Row => [BigInt(id), 'x'.repeat(50), null]);

// `move.test.ts` serves a copy.
it('copies every plant acknowledged before it started, during writes', async () => {
  const { folder, command, client } = await startStore();
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
  expect(result).toEqual(succeeded('', `Copied ${rows.length} plants to ${copy}, and checked the copy.\n`));
  const ids = new Set(rows.map(([id]) => Number(id)));
  expect(acknowledged.slice(0, before).filter((id) => !ids.has(id))).toEqual([]);
  expect(rows).toEqual([...ids].map((id) => [BigInt(id), `plant ${id}`, null]));
});

it('does not change the database, even with pending migrations', async () => {
  const { folder, run } = useCommands();
  const path = await fillStore(folder, [[1n, 'Fern', null]]);
  // Like a database of an older version: one migration is pending.
  execute(path, 'UPDATE _prisma_migrations SET rolled_back_at = 1');
  const before = readFileSync(path);
  expect(await run('backup copy.db')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readRows(join(folder, 'copy.db'))).toEqual([[1n, 'Fern', null]]);
  expect(readdirSync(join(folder, 'data'))).toEqual(['plant-store.db', 'plant-store.db.last-backup']);
});

it.each<[problem: string, damage: (path: string) => void, reason: string]>([
  [
    'a newer version',
    (path) => execute(path, `UPDATE _prisma_migrations SET migration_name = '3'`),
    'which this version does not',
  ],
  [
    'a database that this user may not open',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    'unable to open database file. Run this command as the service user',
  ],
  [
    'a damaged database',
    (path) => {
      const content = readFileSync(path);
      writeFileSync(path, content.fill(0xff, content.length - 4_096));
    },
    'cannot be copied: database disk image is malformed',
  ],
])('copies nothing from %s', async (_, damage, reason) => {
  const { folder, run } = useCommands();
  damage(await fillStore(folder, manyRows));
  expect(await run('backup copy.db')).toEqual(failed(expect.stringContaining(reason)));
  expect(readdirSync(folder)).toEqual(['data']);
});

it('leaves no files behind when it is stopped', async () => {
  const folder = temporaryFolder();
  // It waits for the lock on the file, so it does not exit before it is stopped.
  const database = new Database(await fillStore(folder, manyRows));
  database.pragma('journal_mode = DELETE');
  database.exec('BEGIN EXCLUSIVE');
  const command = startCommand(['backup', 'copy.db'], { folder });
  await until(() => readdirSync(folder).length > 1);
  expect(await command.end('SIGTERM')).toEqual(failed('plant-store: Stopped by SIGTERM.\n'));
  expect(readdirSync(folder)).toEqual(['data']);
  database.close();
});

// Only root can run a command as another user.
it.runIf(process.geteuid?.() === 0)(
  'prints what root has to run where the user of the command may not read or write',
  async () => {
    const { folder } = useCommands();
    const path = await fillStore(folder, [[1n, 'Fern', null]]);
    const [uid, gid] = [65_534, 65_534];
    for (const each of [folder, join(folder, 'data'), path]) chownSync(each, uid, gid);
    for (const [name, mode] of [
      ['open', 0o755],
      ['closed', 0o700],
    ] as const)
      mkdirSync(join(folder, name), { mode });
    writeFileSync(join(folder, 'closed/copy.db'), '');
    for (const name of ['open', 'closed']) chownSync(join(folder, name), 0, 0);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [main, ...args], { cwd: folder, uid, gid, env: {}, encoding: 'utf8' });
    const create = /install -d -o 65534 -g 65534 -m 0700 (\S+)$/m;
    expect(create.exec(run('backup', 'open').stderr)?.[1]).toBe(join(folder, 'open/plant-store'));
    expect(create.exec(run('backup', 'closed/copy.db').stderr)?.[1]).toBe('/var/backups/plant-store');
    const { status, stderr } = run('restore', 'closed/copy.db');
    const destination = expect.stringMatching(/ -t \S+\/incoming \S+\/closed\/copy\.db\*\n/);
    expect([status, stderr]).toEqual([1, destination]);
  },
);

it.runIf(process.platform === 'linux')(
  'changes nothing when a restore cannot write all of the copy, of which SQLite says nothing as it closes it',
  async () => {
    const folder = temporaryFolder();
    const path = await fillStore(folder, [[1n, 'Fern', null]]);
    // With the migration that gives the store a generation, the copy becomes larger.
    execute(path, `PRAGMA journal_mode = DELETE; ${withoutStore}; VACUUM`);
    expect(await runCommand(['backup', 'copy.db'], { folder })).toMatchObject({ exitCode: 0 });
    const files = readdirSync(join(folder, 'data'));
    const limit = `--fsize=${statSync(join(folder, 'copy.db')).size}`;
    const args = [limit, process.execPath, main, 'restore', 'copy.db'];
    const { status, stderr } = spawnSync('prlimit', args, { cwd: folder, env: {}, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('Nothing was changed. Free up space')]);
    expect(readdirSync(join(folder, 'data'))).toEqual(files);
  },
);
