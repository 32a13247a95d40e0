import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@plant-store/contract';
import { expect, it } from 'vitest';
import { startServe, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { parseLines } from '../support/read-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Runs the printed line in a shell, in another folder. */
function paste(line: string): { status: string; body: unknown } {
  const reply = execFileSync('sh', ['-c', line], { cwd: '/', encoding: 'utf8', stdio: 'pipe' });
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  return { status: head.slice(0, 12), body: JSON.parse(body) };
}

it('prints the page and a curl that stores a plant, and keeps token and plant, private, after a restart', async () => {
  const folder = join(temporaryFolder(), "it's a folder");
  mkdirSync(folder);
  const readToken = () => readFileSync(join(folder, 'data/access-token'), 'utf8').trim();
  const serve = async (environment = {}) => {
    const { command } = await startServe({ folder, environment }, ['--quickstart']);
    const [line] = await command.waitFor(/^curl .*$/m);
    return { command, line };
  };
  const first = await serve();
  const body = { name: 'Monstera deliciosa', tag: 'houseplant' };
  expect(paste(first.line)).toEqual({ status: 'HTTP/1.1 200', body });
  const token = readToken();
  const files = ['access-token', 'plant-store.db', 'plant-store.db-wal', 'plant-store.db-shm'];
  const modes = ['', ...files].map((file) => statSync(join(folder, 'data', file)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
  const firstEnd = await first.command.end('SIGTERM');

  const second = await serve({ PAGE: 'off' });
  expect(readToken()).toBe(token);
  const rejected = paste(second.line.replace('Monstera deliciosa', 'Ficus'));
  expect(rejected).toMatchObject({ status: 'HTTP/1.1 400', body: { error: errors.id_taken.error } });
  const secondEnd = await second.command.end('SIGINT');

  const linesWithToken = [firstEnd, secondEnd].map(({ exitCode, stdout, stderr }) => {
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^\nPlant Store is listening on http:\S+\n/);
    // Without a terminal, each line of standard output is one of the log.
    const log = parseLines(stdout);
    const listening = { msg: 'listening', tokenFile: join(folder, 'data/access-token') };
    expect(log).toContainEqual(expect.objectContaining(listening));
    expect(log.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(stdout).not.toContain('pst_');
    return stderr.split('\n').filter((line) => line.includes('pst_'));
  });
  const audit = (await useCommands({}, folder).run('audit --json')).stdout;
  expect(audit).toMatch(/^.*"action":"token_created".*"name":"quickstart".*\n$/);
  // For a person, where there is a page, and in no record of the log.
  const page = expect.stringMatching(`^ {2}page {3}http://127\\.0\\.0\\.1:\\d+/#token=${token}$`);
  expect(linesWithToken).toEqual([[page], []]);
});

it('issues no token if its file cannot be written, and prints what to do', async () => {
  // A start that fails has nothing to drain: with this delay it would not end.
  const drain = { ADMIN_PORT: '0', DRAIN_DELAY_MS: '10000000' };
  const { folder, run } = useCommands({ PORT: '0', DATABASE_URL: 'file:plant-store.db', ...drain });
  const file = join(folder, 'data/access-token');
  mkdirSync(file, { recursive: true });
  const { exitCode, stderr } = await run('serve --quickstart');
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`The access token file ${file} cannot be used`);
  expect(await run('token list')).toMatchObject(succeeded('', expect.any(String)));
});
