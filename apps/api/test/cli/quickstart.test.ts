import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@plant-store/contract';
import { expect, it } from 'vitest';
import { runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Runs the printed line in a shell, in another folder. */
function paste(line: string): { status: string; body: unknown } {
  const reply = execFileSync('sh', ['-c', line], {
    cwd: '/',
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  return { status: head.slice(0, 12), body: JSON.parse(body) };
}

it('prints the address of the page and a curl that stores a plant, and keeps token and plant after a restart', async () => {
  const folder = join(temporaryFolder(), "it's a folder");
  execFileSync('mkdir', [folder]);

  const first = await startServe({ folder }, ['--quickstart']);
  const [line] = await first.command.waitFor(/^curl .*$/m);
  const token = readFileSync(join(folder, 'data/access-token'), 'utf8').trim();
  expect(paste(line)).toEqual({
    status: 'HTTP/1.1 200',
    body: { name: 'Monstera deliciosa', tag: 'houseplant' },
  });
  const firstEnd = await first.command.end('SIGTERM');

  const second = await startServe({ folder }, ['--quickstart']);
  const [secondLine] = await second.command.waitFor(/^curl .*$/m);
  expect(readFileSync(join(folder, 'data/access-token'), 'utf8').trim()).toBe(token);
  const rejected = paste(secondLine.replace('Monstera deliciosa', 'Ficus'));
  expect(rejected).toMatchObject({ status: 'HTTP/1.1 400', body: { error: errors.id_taken.error } });
  const secondEnd = await second.command.end('SIGINT');

  for (const { exitCode, stdout, stderr } of [firstEnd, secondEnd]) {
    expect(exitCode).toBe(0);
    // For a person, and in no record of the log.
    const lines = (stdout + stderr).split('\n').filter((line) => line.includes(token));
    expect(lines).toEqual([expect.stringMatching(/^ {2}page {3}http:\/\/127\.0\.0\.1:\d+\/#token=pst_\w+$/)]);
    expect(stdout).toMatch(/^\nPlant Store listens on http:\S+\n/);
    expect(stdout).toContain('"msg":"stopped"');
  }
});

it('prints no token where there is no page', async () => {
  const folder = temporaryFolder();
  const { command } = await startServe({ folder, environment: { PAGE: 'off' } }, ['--quickstart']);
  await command.waitFor(/^curl .*$/m);
  const { stdout, stderr } = await command.end('SIGTERM');
  expect(stdout + stderr).not.toContain('pst_');
});

it('makes the token, the database and its log unreadable for other users', async () => {
  const folder = temporaryFolder();
  const { command } = await startServe({ folder }, ['--quickstart']);
  await command.waitFor(/^curl .*$/m);
  expect(modeOf(join(folder, 'data'))).toBe('700');
  for (const file of ['access-token', 'plant-store.db', 'plant-store.db-wal', 'plant-store.db-shm']) {
    expect.soft([file, modeOf(join(folder, 'data', file))]).toEqual([file, '600']);
  }
  await command.end('SIGTERM');
});

it('issues no token if its file cannot be written, and prints what to do', async () => {
  const folder = temporaryFolder();
  execFileSync('mkdir', ['-p', join(folder, 'data/access-token')]);
  // A start that fails has nothing to drain: with this delay it would not end.
  const drain = { ADMIN_PORT: '0', DRAIN_DELAY_MS: '10000000' };
  const call = { folder, environment: { PORT: '0', DATABASE_URL: 'file:plant-store.db', ...drain } };
  const { exitCode, stderr } = await runCommand(['serve', '--quickstart'], call);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`The access token's file ${join(folder, 'data/access-token')} cannot be used`);
  expect((await runCommand(['token', 'list'], call)).stdout).toBe('');
});

it('issues no token by itself without --quickstart', async () => {
  const folder = temporaryFolder();
  const { command } = await startServe({ folder });
  const { stdout } = await command.end('SIGTERM');
  expect(stdout).not.toContain('curl');
  expect(() => statSync(join(folder, 'data/access-token'))).toThrow('ENOENT');
});
