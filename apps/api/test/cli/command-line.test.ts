import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { withTimeout } from '../../src/runtime/timing.js';
import { readMigrations } from '../../src/store/migrations.js';
import { listen } from '../support/listen.js';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { fillStore, storePath } from '../support/process/fill-store.js';
import { failed, runCommand, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs } from '../support/until.js';

const noDatabase = 'This is a text of more than one hundred bytes, '.repeat(100);

it('reports all invalid settings together, and no password', async () => {
  const settings = { PORT: '70000', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://root:secret@db/plants' };
  const { exitCode, stderr } = await useCommands(settings).run('serve');
  expect(exitCode).toBe(2);
  for (const name of Object.keys(settings)) expect.soft(stderr).toContain(`  ${name} must be`);
  expect(stderr).not.toContain('secret');
});

it.each([
  ['PORT', {}],
  ['ADMIN_PORT', { PORT: '0' }],
  ['PORT', { WORKERS: '2' }],
])('prints what to do if the port is taken: %s, %j', async (name, settings) => {
  const { port } = new URL(await listen(createServer()));
  const environment = { ...settings, [name]: port };
  expect(await runCommand(['serve'], { folder: temporaryFolder(), environment })).toMatchObject({
    exitCode: 1,
    stderr: `plant-store: Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set ${name} to another port.\n`,
  });
});

it.each([
  [
    'a file that is a folder',
    (path: string) => mkdirSync(path, { recursive: true }),
    'cannot be opened: it is a folder.',
  ],
  [
    'a file that is not a database',
    (path: string) => {
      mkdirSync(join(path, '..'));
      writeFileSync(path, noDatabase);
    },
    'is damaged, or is not a database: file is not a database; it is text\nIf it is a plant store, stop every service that uses it and restore a backup',
  ],
])('prints what to do if the database cannot be opened: %s', async (_, make, problem) => {
  const { folder, run } = useCommands();
  make(storePath(folder));
  const { exitCode, stderr } = await run('serve');
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`plant-store: The database ${storePath(folder)} ${problem}`);
  const advice = /et DATABASE_URL to (a SQLite file that this user may write|another file\.|a file in it)/;
  expect(stderr).toMatch(advice);
});

it.each([
  ['is down', '1', 'ECONNREFUSED'],
  ['does not answer', '1', 'timeout'],
  ['does not answer', '2', 'timeout'],
])(
  'gives up in time if PostgreSQL %s, and prints what to do, WORKERS=%s',
  async (failure, WORKERS, reason) => {
    const { databaseUrl, proxiedUrl, proxy } = await createDatabaseBehindProxy();
    if (failure === 'is down') proxy.stop();
    else proxy.freeze();
    const startConnectMs = 200;
    const starting = runInProcess(['serve'], {
      folder: temporaryFolder(),
      environment: { PORT: '0', DATABASE_URL: proxiedUrl, WORKERS },
      timeouts: { startConnectMs },
    });
    // Closing the connection takes another second.
    const result = await withTimeout(starting, startConnectMs + 1_000 + slackMs, () => 'it still waits');
    const name = `${new URL(databaseUrl).pathname.slice(1)} on 127.0.0.1:${proxy.port}`;
    const toDo = 'Set DATABASE_URL to a running PostgreSQL database, ';
    const cannotBeOpened = `^plant-store: The database ${name} cannot be opened: .*${reason}.*\n${toDo}`;
    expect(result).toEqual(failed(new RegExp(cannotBeOpened)));
    expect(JSON.stringify(result)).not.toContain(`:${new URL(proxiedUrl).password}@`);
  },
);

it('prints what to do if the database does not answer', async () => {
  const { folder, run } = useCommands();
  const other = new Database(await fillStore(folder, []));
  other.exec('BEGIN IMMEDIATE');
  const { exitCode, stderr } = await run('token create --name shop');
  other.close();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    / is not responding: SQLITE_BUSY: database is locked\nTry again once it responds\.\n$/,
  );
});

it('migrates once', async () => {
  const { run } = useCommands();
  const names = readMigrations('sqlite').map(({ name }) => `${name}\n`);
  expect(await run('migrate')).toMatchObject({ exitCode: 0, stdout: names.join('') });
  expect(await run('migrate')).toEqual(succeeded('', 'The database is up to date.\n'));
});

const onStores = ['export', 'backup copy.db', 'token list', 'invalidate-cursors'];

it.each(onStores)('does not create a missing store: %s', async (line) => {
  const { folder, run } = useCommands();
  const missing = `The database ${storePath(folder)} does not exist. Set DATABASE_URL to an existing Plant Store database.`;
  expect(await run(line)).toEqual(failed(`plant-store: ${missing}\n`));
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['export --output', ['copy']],
  ['backup', ['copy', 'copy.sha256']],
])('creates its file, readable only by this user, and overwrites none: %s', async (command, files) => {
  const { folder, run } = useCommands();
  await fillStore(folder, [[1n, 'Fern', null]]);
  const file = join(folder, 'copies/copy');
  mkdirSync(join(file, '..'));
  expect(await run(`${command} ${file}`)).toMatchObject({ exitCode: 0, stdout: '' });
  for (const name of files) expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
  const before = readFileSync(file);
  const exists = `The file ${file} already exists and was left unchanged. Choose another name.`;
  expect(await run(`${command} ${file}`)).toEqual(failed(`plant-store: ${exists}\n`));
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(join(folder, 'copies'))).toEqual(files);
});
