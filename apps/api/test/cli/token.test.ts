import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { toInput } from '../support/process/plant-lines.js';
import { startCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const tokenLine = /^pst_[0-9A-Za-z]{49}\n$/;

/** Runs `plant-store token …` on a database of its own. */
function useTokens() {
  const folder = temporaryFolder();
  const run = (...args: string[]) => runInProcess(['token', ...args], { folder });
  /** Runs it with a standard output that nobody reads. */
  const runUnread = (...args: string[]) => {
    const { process, end } = startCommand(['token', ...args], { folder });
    process.stdout?.destroy();
    return end();
  };
  /** The columns of `token list` between the creation and the scopes. */
  const listStates = async () =>
    (await run('list')).stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [line.split('\t').slice(3, 5)]));
  return { folder, run, runUnread, listStates };
}

/** Stores a plant with a token, and returns the status. */
async function create(baseUrl: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = '{"id":1,"name":"Fern"}';
  return (await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body })).status;
}

it('prints a new token alone, and how to use it beside it, without the token', async () => {
  const { run } = useTokens();
  const { stdout, stderr } = await run('create', '--name', 'shop', '--expires', 'never');
  expect(stdout).toMatch(tokenLine);
  expect(stderr).toContain('which never expires. It may create, read and delete plants.');
  expect(stderr).toContain('Authorization: Bearer <token>');
  expect(stderr).toContain('on the page http://127.0.0.1:3000/ or');
  expect(stderr).toContain('(docs/use/api.md has the command for a Windows terminal)');
  expect(stderr).not.toContain('pst_');
});

it('prints a curl that stores a plant with a new token', async () => {
  const { folder } = useTokens();
  const { command, baseUrl } = await startServe({ folder });
  const environment = { HOST: '0.0.0.0', PORT: new URL(baseUrl).port, PAGE: 'off' };
  const { stdout, stderr } = await runInProcess(['token', 'create', '--name', 'shop'], {
    folder,
    environment,
  });
  expect(stderr).not.toContain('page');
  const line = /^curl .*$/m.exec(stderr)?.[0] ?? '';
  const env = { PATH: process.env['PATH'], TOKEN: stdout.trim() };
  expect(execFileSync('sh', ['-c', line], { env, encoding: 'utf8', stdio: 'pipe' })).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n{"name":"Monstera deliciosa","tag":"houseplant"}$/,
  );
  await command.end('SIGTERM');
});

it('rotates a token that a running service accepts, and shows when each was last used', async () => {
  const { folder, run, listStates } = useTokens();
  const old = (await run('create', '--name', 'shop')).stdout.trim();
  const { command, baseUrl } = await startServe({ folder });
  const rotated = await run('rotate', '1');
  expect(rotated).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(tokenLine) });
  expect(rotated.stderr).toContain('Issued token 2 "shop", which never expires.');
  expect(rotated.stderr).toMatch(/^Token 1 "shop" expires \S+Z; until then both work\.$/m);
  expect(rotated.stderr).not.toContain('pst_');
  expect(await create(baseUrl, old)).toBe(200);
  expect(await create(baseUrl, rotated.stdout.trim())).toBe(200);
  await run('rotate', '2', '--overlap', '0', '--expires', '30d');
  await command.end('SIGTERM');
  expect(await listStates()).toEqual([
    [expect.stringMatching(/^expires \S+Z$/), expect.stringMatching(/^last used \S+Z$/)],
    [expect.stringMatching(/^revoked \S+Z$/), expect.stringMatching(/^last used \S+Z$/)],
    [expect.stringMatching(/^expires \S+Z$/), 'never used'],
  ]);
});

it('revokes a new token that nobody reads, and leaves the one that it would replace as it was', async () => {
  const { run, runUnread, listStates } = useTokens();
  await run('create', '--name', 'shop');
  for (const call of [
    ['create', '--name', 'other'],
    ['rotate', '1'],
    ['rotate', '1', '--overlap', '0'],
  ]) {
    expect(await runUnread(...call)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /could not be printed: .*EPIPE\nIt is revoked, and nothing else was changed\.\n$/,
      ),
    });
  }
  const revoked = [expect.stringMatching(/^revoked /), 'never used'];
  expect(await listStates()).toEqual([['never expires', 'never used'], revoked, revoked, revoked]);
});

it('rotates no token that does not exist or does not work', async () => {
  const { folder, run } = useTokens();
  await run('create', '--name', 'shop');
  await run('revoke', '1');
  const failed = { exitCode: 1, stdout: '' };
  expect(await run('rotate', '1')).toMatchObject({
    ...failed,
    stderr: expect.stringMatching(
      /^plant-store: Token 1 "shop" cannot be rotated: revoked \S+Z\. Issue a new one with: /,
    ),
  });
  expect(await run('rotate', '7')).toMatchObject({
    ...failed,
    stderr: expect.stringContaining('no token 7'),
  });
  const elsewhere = { folder, environment: { DATABASE_URL: 'file:nowhere.db' } };
  expect(await runInProcess(['token', 'rotate', '1'], elsewhere)).toMatchObject(failed);
});

it('finds tokens by their texts, and reports the lines of others without showing them', async () => {
  const { folder, run } = useTokens();
  const shop = (await run('create', '--name', 'shop')).stdout.trim();
  const other = (await run('create', '--name', 'other')).stdout.trim();
  await run('revoke', '2');
  const unknown = generateAccessToken();
  const find = (text: string) => runInProcess(['token', 'find'], { folder, input: toInput(text) });
  expect(await find(`${shop}\r\n\n  ${unknown}\n${shop.slice(0, -1)}\n${other}`)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(
      /^1\tshop\tcreated .*\tnever used\tcreate,read,delete\n2\tother\tcreated .*\trevoked .*\n$/,
    ),
    stderr:
      'line 3: not of this database\nline 4: not a token, or mistyped\nplant-store: 2 of 4 tokens not found.\n',
  });
  expect(await find(shop)).toMatchObject({ exitCode: 0, stderr: '' });
  for (const nothing of ['', ' \n\n'])
    expect(await find(nothing)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('one a line') });
});

it('issues tokens that permit only some things, which a rotation keeps or changes', async () => {
  const { run } = useTokens();
  const listScopes = async () => (await run('list')).stdout.match(/\S+$/gm);
  const created = await run('create', '--name', 'shop', '--can', 'read, create,read');
  expect(created.stderr).toContain('It may create and read plants.');
  await run('rotate', '1');
  await run('rotate', '1', '--can', 'delete');
  expect(await listScopes()).toEqual(['create,read', 'create,read', 'delete']);
  for (const list of ['', 'create,', 'write', 'CREATE']) {
    const wrong = { exitCode: 2, stderr: expect.stringContaining('one or more of create,read,delete') };
    expect(await run('create', '--name', 'other', '--can', list)).toMatchObject(wrong);
  }
  expect(await listScopes()).toHaveLength(3);
});
