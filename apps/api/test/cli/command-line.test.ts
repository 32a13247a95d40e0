import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { withTimeout } from '../../src/runtime/timing.js';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { fillStore } from '../support/process/fill-store.js';
import { runCommand, startCommand } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs } from '../support/until.js';

it.each([
  { args: ['--help'], names: ['serve', 'token', 'migrate', 'DATABASE_URL', 'Exit status'] },
  { args: ['--help'], names: ['export', 'import', 'backup'] },
  { args: ['export', '--help'], names: ['--output', 'NDJSON'] },
  { args: ['import', '--help'], names: ['[file]', '--from-line', 'NDJSON', 'exit status'] },
  { args: ['delete', '--help'], names: ['<id>...', '--from', '--from-line', 'exit status'] },
  { args: ['backup', '--help'], names: ['<file>', 'SQLite'] },
  { args: ['serve', '--help'], names: ['--quickstart'] },
  { args: ['ready', '--help'], names: ['--url', 'ADMIN_PORT'] },
  { args: ['token', '--help'], names: ['create', 'list', 'revoke'] },
  { args: ['token', 'create', '--help'], names: ['--name', '--expires', '30d'] },
  {
    args: ['token', 'rotate', '--help'],
    names: ['<id>', '--overlap', '(default: 1h)', '--expires', 'never'],
  },
])('prints help: $args', async ({ args, names }) => {
  const { exitCode, stdout } = await runInProcess(args, { folder: temporaryFolder() });
  expect(exitCode).toBe(0);
  for (const name of names) expect.soft(stdout).toContain(name);
});

it.each([['--help'], ['token', 'list']])(
  'exits quietly if its output is not read: %s %s',
  async (...args) => {
    const folder = temporaryFolder();
    await runInProcess(['token', 'create', '--name', 'x'], { folder });
    const { process, end } = startCommand(args, { folder });
    process.stdout?.destroy();
    expect(await end()).toMatchObject({ exitCode: 1, stderr: '' });
  },
);

it('reports all invalid settings together', async () => {
  const environment = { PORT: '70000', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://root:secret@db/plants' };
  const { exitCode, stderr } = await runCommand(['serve'], { folder: temporaryFolder(), environment });
  expect(exitCode).toBe(2);
  for (const name of Object.keys(environment)) expect.soft(stderr).toContain(`  ${name} must be`);
  expect(stderr).not.toContain('secret');
});

it('prints what to do if the port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const { exitCode, stderr } = await runCommand(['serve'], {
    folder: temporaryFolder(),
    environment: { PORT: port },
  });
  other.close();
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    `plant-store: The port ${port} on 127.0.0.1 is taken. Stop the program that has it, or set PORT to another one.\n`,
  );
});

it.each([
  { problem: 'a folder that is a file', make: (path: string) => writeFileSync(join(path, '..'), '') },
  { problem: 'a file that is a folder', make: (path: string) => mkdirSync(path, { recursive: true }) },
])('prints what to do if the database cannot be opened: $problem', async ({ make }) => {
  const folder = temporaryFolder();
  make(join(folder, 'data/plant-store.db'));
  const { exitCode, stderr } = await runInProcess(['serve'], { folder });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    `plant-store: The database ${join(folder, 'data/plant-store.db')} cannot be opened`,
  );
  expect(stderr).toContain('Set DATABASE_URL to a SQLite file that this user may write');
});

it.each(['1', '2'])(
  'gives up in time if PostgreSQL accepts connections and does not answer, and prints what to do, WORKERS=%s',
  async (workers) => {
    const { databaseUrl, proxiedUrl, proxy } = await createDatabaseBehindProxy();
    proxy.freeze();
    const startConnectMs = 200;
    const starting = runInProcess(['serve'], {
      folder: temporaryFolder(),
      environment: { PORT: '0', DATABASE_URL: proxiedUrl, WORKERS: workers },
      timeouts: { startConnectMs },
    });
    // Closing the connection takes another second.
    const result = await withTimeout(starting, startConnectMs + 1_000 + slackMs, () => 'it still waits');
    const name = `${new URL(databaseUrl).pathname.slice(1)} on 127.0.0.1:${proxy.port}`;
    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `^plant-store: The database ${name} cannot be opened: .*timeout.*\nSet DATABASE_URL to a running PostgreSQL database, `,
      ),
    });
  },
);

it('prints what to do with a file that is not a database', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'data/plant-store.db');
  mkdirSync(join(folder, 'data'));
  writeFileSync(path, 'This is a text of more than one hundred bytes, '.repeat(100));
  const { exitCode, stderr } = await runInProcess(['serve'], { folder });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`plant-store: The database ${path} is damaged, or is not a database: `);
  expect(stderr).toContain('Otherwise set DATABASE_URL to another file.');
});

it('issues, lists and revokes tokens', async () => {
  const folder = temporaryFolder();
  const run = (...args: string[]) => runInProcess(['token', ...args], { folder });
  await runInProcess(['migrate'], { folder });
  expect(await run('list')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining('no tokens'),
  });

  const created = await run('create', '--name', 'shop', '--expires', '30d');
  expect(created.stdout).toMatch(/^pst_[0-9A-Za-z]{49}\n$/);
  expect(created.stderr).toContain('token 1 "shop"');

  const listed = await run('list');
  expect(listed.stdout).toMatch(/^1\tshop\tcreated \S+Z\texpires \S+Z\tnever used\tcreate,read,delete\n$/);
  expect(listed.stdout).not.toContain(created.stdout.trim());

  expect(await run('revoke', '1')).toMatchObject({ exitCode: 0 });
  expect((await run('list')).stdout).toMatch(/\trevoked \S+Z\tnever used\tcreate,read,delete\n$/);
  expect(await run('revoke', '7')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no token 7'),
  });
});

it('prints what to do if the database does not answer', async () => {
  const folder = temporaryFolder();
  const other = new Database(await fillStore(folder, []));
  other.exec('BEGIN IMMEDIATE');
  const { exitCode, stderr } = await runInProcess(['token', 'create', '--name', 'shop'], { folder });
  other.close();
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'plant-store: The database does not answer: SQLITE_BUSY: database is locked\nTry again once it does.\n',
  );
});

it('migrates once', async () => {
  const folder = temporaryFolder();
  expect(await runInProcess(['migrate'], { folder })).toMatchObject({
    exitCode: 0,
    stdout:
      '20261120000000_create_plants_and_access_tokens\n20261122000000_add_last_use_to_access_tokens\n20261125000000_add_time_to_plants\n20261127000000_add_deleted_to_plants\n20261128000000_add_scopes_to_access_tokens\n',
  });
  expect(await runInProcess(['migrate'], { folder })).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'The database is up to date.\n',
  });
});
