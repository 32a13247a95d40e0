import { execFileSync } from 'node:child_process';
import { renderUnicodeCompact } from 'uqr';
import { expect, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { postPlant } from '../support/post-plant.js';
import { storePath } from '../support/process/fill-store.js';
import { failed, startCommand, startServe, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
import { startTestService } from '../support/start-test-service.js';
import { slackMs, until } from '../support/until.js';

const tokenLine = /^pst_[0-9A-Za-z]{49}\n$/;

/** Runs `plant-store token …` on a database of its own. */
function useTokens() {
  const { folder, run } = useCommands();
  return {
    folder,
    run: (line: string, input?: string) => run(`token ${line}`, input),
    /** The columns of `token list` between the creation and the scopes. */
    async listStates() {
      const lines = (await run('token list')).stdout.trimEnd().split('\n').slice(1);
      return lines.map((line) => line.split('\t').slice(3, 5));
    },
  };
}

it('issues, lists and revokes tokens', async () => {
  const { folder, run } = useTokens();
  await useCommands({}, folder).run('migrate');
  expect(await run('list')).toEqual(succeeded('', expect.stringContaining('no tokens')));
  const { stdout, stderr } = await run('create --name shop --expires never');
  expect(stdout).toMatch(tokenLine);
  for (const text of [
    'token 1 "shop", which never expires. It can create, read, update, and delete plants.',
    'Authorization: Bearer <token>',
    'While the service is running, try the token on the page http://127.0.0.1:3000/ or with this command after you set  TOKEN=<token> ',
    '/docs/use/api.md):\ncurl ',
  ])
    expect(stderr).toContain(text);
  expect(stderr).not.toContain('pst_');

  await run('create --name page --expires 30d');
  const list =
    /^ID\tNAME\tCREATED\tEXPIRY\tLAST USE\tRATE\tSCOPES\n1\tshop\tcreated \S+Z\tnever expires\tnever used\tdefault rate\tcreate,read,update,delete\n2\t.*\texpires \S+Z\t/;
  expect((await run('list')).stdout).toMatch(list);
  expect(await run('revoke 1')).toMatchObject({ exitCode: 0 });
  const revoked = /^1\t.*\trevoked \S+Z\tnever used\tdefault rate\tcreate,read,update,delete$/m;
  expect((await run('list')).stdout).toMatch(revoked);
  for (const line of ['revoke 7', 'rotate 7']) expect(await run(line)).toEqual(failed(/no token 7/));
});

it('accepts the former name of the scope update, and stores the present one', async () => {
  const { run } = useTokens();
  expect((await run('create --name shop --can read,correct')).stderr).toContain(
    'It can read and update plants.',
  );
  const exported = (await run('export')).stdout;
  expect(exported).toContain('"scopes":["read","update"]');
  const moved = useTokens();
  await moved.run('import', exported.replace('"update"', '"correct"'));
  expect((await moved.run('export')).stdout).toBe(exported);
});

it('shows what is invisible in names, so that two tokens never look alike, and keeps it', async () => {
  const { run } = useTokens();
  const names = ['sh\u200dop', 'sh\\u200dop', '\u3164'];
  const shown = ['sh\\u200dop', 'sh\\u005cu200dop', '\\u3164'];
  for (const [index, name] of names.entries())
    expect((await run(`create --name ${name}`)).stderr).toContain(
      `token ${index + 1} "${shown[index]}", which`,
    );
  const listed = (await run('list')).stdout.split('\n').slice(1, -1);
  expect(listed.map((line) => line.split('\t')[1])).toEqual(shown);
  const exported = (await run('export')).stdout.trim().split('\n');
  expect(exported.map((line) => JSON.parse(line).name)).toEqual(names);
  expect((await run('rotate 1')).stderr).toContain('Token 1 "sh\\u200dop" expires');
  expect((await run('revoke 1')).stderr).toContain('Token 1 "sh\\u200dop" is revoked');
  const isRevoked =
    /^plant-store: Token 1 "sh\\u200dop" cannot be rotated \(revoked \S+Z\)\. Issue a new token with: /;
  expect(await run('rotate 1')).toEqual(failed(isRevoked));
  expect((await run('revoke \u202e')).stderr).toContain('no valid token named "\\u202e"');
});

it('prints a link to the page with the token, to this machine or to the address that is given', async () => {
  const { run } = useTokens();
  const local = await run('create --name page --link');
  expect(local.stdout).toMatch(/^http:\/\/127\.0\.0\.1:3000\/#token=pst_[0-9A-Za-z]{49}\n$/);
  expect(local.stderr).toContain('works only on this machine');
  for (const url of ['https://plants.example.com/shop', 'https://plants.example.com/shop/']) {
    const { stdout, stderr } = await run(`create --name page --link ${url}`);
    expect(stdout).toMatch(/^https:\/\/plants\.example\.com\/shop\/#token=pst_[0-9A-Za-z]{49}\n$/);
    expect(stderr).not.toContain('only on this machine');
  }
});

it('draws the link as a QR code on a terminal', async () => {
  const { folder } = useTokens();
  const args = ['token', 'create', '--name', 'phone', '--link', 'https://plants.example.com'];
  const { stdout } = await runInProcess(args, { folder, isTerminal: true });
  const [link = '', ...drawn] = stdout.trimEnd().split('\n');
  // The colors do not depend on the terminal.
  const code = renderUnicodeCompact(link, { border: 4 }).split('\n');
  expect(drawn).toEqual(code.map((line) => `\u001b[40;97m${line}\u001b[0m`));
});

it('prints a curl that does what a new token permits: it stores a plant, otherwise lists plants, or shows the token', async () => {
  const { folder } = useTokens();
  const { command, baseUrl } = await startServe({ folder });
  const environment = { HOST: '0.0.0.0', PORT: new URL(baseUrl).port, PAGE: 'off' };
  const tryNew = async (options: string) => {
    const { stdout, stderr } = await useCommands(environment, folder).run(`token create --name ${options}`);
    expect(stderr).not.toContain('page');
    const line = /^curl .*$/m.exec(stderr)?.[0] ?? '';
    const env = { PATH: process.env['PATH'], TOKEN: stdout.trim() };
    const reply = execFileSync('sh', ['-c', line], { env, encoding: 'utf8', stdio: 'pipe' });
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    return JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')));
  };
  expect(await tryNew('shop')).toEqual({ name: 'Monstera deliciosa', tag: 'houseplant' });
  expect(await tryNew('shop --can read')).toMatchObject({ plants: [{ id: 1 }] });
  expect(await tryNew('shop --can delete')).toMatchObject({ scopes: ['delete'] });
  await command.end('SIGTERM');
});

it('rotates a token, whose successor a running service accepts at once, and rejects it once it is revoked', async () => {
  const { folder, run, listStates } = useTokens();
  const service = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  const rotated = await run('rotate 1');
  expect(rotated).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(tokenLine) });
  expect(rotated.stderr).toContain('Issued token 2 "test", which never expires.');
  expect(rotated.stderr).toMatch(/^Token 1 "test" expires \S+Z; until then, both tokens work\.$/m);
  expect(rotated.stderr).not.toContain('pst_');
  for (const token of [service.token, rotated.stdout.trim()])
    await postPlant({ ...service, token }, { id: 1, name: 'Fern' }).expect(200);
  await run('rotate 2 --overlap 0 --expires 30d');
  const revokedAt = performance.now();
  // Kept in use: its cache entry must expire like that of an idle token.
  const revoked = { ...service, token: rotated.stdout.trim() };
  await until(async () => (await postPlant(revoked, { id: 1, name: 'Fern' })).status === 401, 200);
  expect(performance.now() - revokedAt).toBeLessThan(5_000 + slackMs);
  await service.stop();
  expect(await listStates()).toEqual([
    [expect.stringMatching(/^expires \S+Z$/), expect.stringMatching(/^last used \S+Z$/)],
    [expect.stringMatching(/^revoked \S+Z$/), expect.stringMatching(/^last used \S+Z$/)],
    [expect.stringMatching(/^expires \S+Z$/), 'never used'],
  ]);
});

it('revokes a new token that nobody reads, and leaves the one that it would replace as it was', async () => {
  const { folder, run, listStates } = useTokens();
  await run('create --name shop');
  for (const line of ['create --name other', 'rotate 1 --overlap 0']) {
    const { process, end } = startCommand(['token', ...line.split(' ')], { folder });
    process.stdout?.destroy();
    const revoked = /could not be printed: .*EPIPE\nIt was revoked, and nothing else was changed\.\n$/;
    expect(await end()).toEqual(failed(revoked));
  }
  const revoked = [expect.stringMatching(/^revoked /), 'never used'];
  expect(await listStates()).toEqual([['never expires', 'never used'], revoked, revoked]);
});

it('finds tokens by their texts, and reports the lines of others without showing them', async () => {
  const { run } = useTokens();
  const shop = (await run('create --name shop')).stdout.trim();
  const other = (await run('create --name other')).stdout.trim();
  await run('revoke 2');
  const texts = `${shop}\r\n\n  ${generateAccessToken()}\n${shop.slice(0, -1)}\n${other}`;
  expect(await run('find', texts)).toEqual(
    failed(
      'line 3: not in this database\nline 4: not a token, or mistyped\nplant-store: 2 of 4 tokens could not be found.\n',
      /^1\tshop\tcreated .*\tnever used\tdefault rate\tcreate,read,update,delete\n2\tother\tcreated .*\trevoked .*\n$/,
    ),
  );
  expect(await run('find', shop)).toMatchObject({ exitCode: 0, stderr: '' });
  for (const nothing of ['', ' \n\n']) expect(await run('find', nothing)).toEqual(failed(/one per line/));
});

it('issues tokens with scopes and a rate, which a rotation and a move keep, or a rotation changes', async () => {
  const { folder, run } = useTokens();
  const { stderr } = await run('create --name admin --can admin,read,read --rate 600');
  expect(stderr).toContain(
    'It can read plants. It can create, rotate, and revoke tokens. It can make up to 600 requests a minute.',
  );
  expect((await run('create --name ops --can admin')).stderr).not.toContain('plants.');
  await run('rotate 1');
  await run('rotate 1 --can delete');
  const rights = /(?<=^\d\tadmin\t.*\t)600 a minute\t.+$/gm;
  const listed = ['600 a minute\tread,admin', '600 a minute\tread,admin', '600 a minute\tdelete'];
  expect((await run('list')).stdout.match(rights)).toEqual(listed);
  const moved = useTokens();
  await moved.run('import', (await useCommands({}, folder).run('token export')).stdout);
  expect((await moved.run('list')).stdout.match(rights)).toEqual(listed);
});

it('revokes a token by its name, if only one valid token has it', async () => {
  const { run } = useTokens();
  for (const name of ['shop', 'shop']) await run(`create --name ${name}`);
  const several =
    /^plant-store: Several valid tokens are named "shop": 1, 2\. Specify the ID of one of them\./;
  expect(await run('revoke shop')).toEqual(failed(several));
  await run('revoke 1');
  expect((await run('revoke shop')).stderr).toContain('Token 2 "shop" is revoked');
});
