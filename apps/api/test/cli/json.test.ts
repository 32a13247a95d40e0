import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listCommands } from '../../scripts/release/man-page.js';
import { createProgram, type ProgramDependencies } from '../../src/cli/program.js';
import { storePath } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, main, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
import { readPage } from '../support/read-markdown.js';
import { startTestService } from '../support/start-test-service.js';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const [, afterHeading = ''] = readPage('docs/operate/cli.md').split('\n## JSON\n');
const [section = ''] = afterHeading.split('\n## ');
/** The members of plants and tokens. */
const ofApi =
  'id idText name tag addedAt scopes createdAt expiresAt revokedAt lastUsedAt ratePerMinute'.split(' ');

/** Runs commands, which must print a single object with documented members, and something for a person if that is said. */
function useJson() {
  const { folder, run } = useCommands();
  return {
    folder,
    run,
    async printed(line: string, words: RegExp = /^$/): Promise<Record<string, unknown>> {
      const { exitCode, stdout, stderr } = await run(`${line} --json`);
      expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: expect.stringMatching(words) });
      expect(stdout).toMatch(/^\{.*\}\n$/);
      const printed = JSON.parse(stdout);
      const documented = (name: string) => ofApi.includes(name) || section.includes(`\`${name}\``);
      expect(Object.keys(printed).filter((name) => !documented(name))).toEqual([]);
      return printed;
    },
  };
}

it('is an option of each command that prints data which is not JSON already', () => {
  const program = createProgram({
    version: '0',
    context: { commandName: 'plant-store' },
  } as ProgramDependencies);
  const without = listCommands(program, '').filter(
    ([, { options }]) => !options.some(({ long }) => long === '--json'),
  );
  expect(without.map(([path]) => path.trim()).toSorted()).toEqual([
    'completion',
    'export',
    'invalidate-cursors',
    'serve',
    'token export',
  ]);
});

it('prints plants and tokens as the API gives them, with every digit', async () => {
  const { folder, run } = useCommands();
  const { secret } = JSON.parse((await run('token create --name ops --can admin,read --json')).stdout);
  const lines = [plantLine(-(2n ** 63n)), plantLine(1, 'Fern \u202e'), plantLine(2n ** 63n - 1n)];
  await run('import', lines.join(''));
  await run('update 1 --tag shade');
  await run('token create --name shop --rate 5 --expires 1d');
  await run('token revoke shop');
  const service = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  const withoutUse = (text: string) => text.replace(/,"lastUsedAt":"[^"]+"/, '');
  const get = async (path: string) => {
    const headers = { Authorization: `Bearer ${secret}` };
    return withoutUse(await (await fetch(new URL(path, service.baseUrl), { headers })).text());
  };
  const printed = async (line: string) =>
    withoutUse((await run(line)).stdout.trimEnd().split('\n').join(','));
  expect(`{"plants":[${await printed('list --json')}]}`).toBe(await get('/plants'));
  expect(await printed('list --json --tag shade')).toBe(await get('/plants/1'));
  expect(`{"tokens":[${await printed('token list --json')}]}`).toBe(await get('/tokens'));
  await service.stop();
});

it('prints what became of a plant, and by whom', async () => {
  const { folder, printed } = useJson();
  const { baseUrl, token, stop } = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'If-Match': '*' };
  const send = (method: string, path: string, body?: object) =>
    fetch(new URL(path, baseUrl), { method, body: JSON.stringify(body), headers });
  await send('POST', '/plants', { id: 1, name: 'Fren' });
  const who = { id: 1, name: 'test' };
  const plant = { id: 1, idText: '1', name: 'Fren', addedAt: time, addedBy: who };
  expect(await printed('show 1')).toEqual(plant);
  await send('PUT', '/plants/1', { name: 'Fern' });
  const updated = { ...plant, name: 'Fern', updatedAt: time, updatedBy: who };
  expect([await printed('show 1'), await printed('list --by')]).toEqual([updated, updated]);
  const deleted = { deleted: 1, deletedBefore: 0, neverExisted: 0, bad: 0 };
  expect(await printed('delete 1', /^1 deleted, /)).toEqual(deleted);
  const { name: _, ...left } = plant;
  expect(await printed('show 1')).toEqual({ ...left, deleted: true, deletedAt: time });
  await stop();
});

it('prints tokens that are issued, rotated, found, revoked and imported', async () => {
  const { folder, printed, run } = useJson();
  const scopes = ['create', 'read', 'update', 'delete'];
  const secret = expect.stringMatching(/^pst_\w{49}$/);
  const shop = { id: 1, name: 'shop', scopes, createdAt: time };
  const issued = await printed('token create --name shop --link https://plants.example.com', /^Issued/);
  const link = `https://plants.example.com/#token=${issued['secret']}`;
  expect(issued).toEqual({ ...shop, secret, link });
  const both = /^Issued token 2 "shop"[\s\S]+Token 1 "shop" is revoked/;
  expect(await printed('token rotate 1 --overlap 0', both)).toEqual({ ...shop, id: 2, secret });
  expect(await run('token find --json', `${issued['secret']}`)).toEqual(
    succeeded(expect.stringMatching(/^\{"id":1,"name":"shop",.*"revokedAt":"[^"]+"\}\n$/)),
  );
  expect(await printed('token revoke 2', /is revoked/)).toEqual({ ...shop, id: 2, revokedAt: time });
  writeFileSync(join(folder, 'tokens'), (await run('token export')).stdout);
  expect(await printed('token import tokens', /^0 imported/)).toEqual({ imported: 0, alreadyThere: 2 });
});

it('prints what was migrated, deleted, backed up and restored', async () => {
  const { folder, printed, run } = useJson();
  const { applied } = await printed('migrate');
  expect(applied).toContainEqual(expect.stringMatching(/^\d{14}_\w+$/));
  expect(await printed('migrate', /up to date/)).toEqual({ applied: [] });
  await run('import', plantLine(1) + plantLine(2));
  expect(await run('delete --from - --json', '7\n1\n')).toMatchObject({
    exitCode: 1,
    stdout: '{"deleted":1,"deletedBefore":0,"neverExisted":1,"bad":0,"nextLine":3}\n',
  });
  const backup = join(folder, 'copy.db');
  const counts = { plants: 1, tokens: 0, storeId: expect.stringMatching(/^[0-9a-f]{16}$/) };
  const { sha256, ...made } = await printed('backup copy.db', /^Copied 1 plant/);
  expect(made).toEqual({ backup, ...counts });
  expect(sha256).toBe(execFileSync('sha256sum', [backup], { encoding: 'utf8' }).slice(0, 64));
  const found = { backup, madeAt: time, verified: true, ...counts, pendingMigrations: [] };
  const database = storePath(folder);
  const checked = { restored: false, ...found, database };
  expect(await printed('restore copy.db --dry-run', /Nothing was changed/)).toEqual(checked);
  const kept = expect.stringContaining('.before-restore-');
  const restored = { restored: true, ...found, database, kept };
  expect(await printed('restore copy.db', /Start the service/)).toEqual(restored);
});

it('leaves standard output empty where a command fails before there is any, and the error is text', async () => {
  const { run } = useCommands();
  await run('import', plantLine(1));
  for (const line of ['update 2 --name x', 'token revoke 9', 'backup no/such/folder/x.db', 'restore nowhere'])
    expect([line, await run(`${line} --json`)]).toEqual([line, failed(/^plant-store: .+/)]);
  expect(await run('list --format csv --json')).toEqual(failed(/^error: .+/, '', 2));
});

it('ends without a message once the reader of its output has read enough', async () => {
  const { folder, run } = useCommands();
  await run('import', Array.from({ length: 20_000 }, (_, id) => plantLine(id, 'x'.repeat(50))).join(''));
  for (const args of ['list --json --by', 'export']) {
    const script = `exec 2>&1; "$0" "$1" ${args} | head -n 1`;
    const output = execFileSync('sh', ['-c', script, process.execPath, main], { cwd: folder, env: {} });
    expect(String(output).trimEnd().split('\n')).toHaveLength(1);
  }
});

it('escapes on a terminal what would change how other text is shown', async () => {
  const { folder, run } = useCommands();
  await run('token create --name shop\u202E');
  const { stdout } = await runInProcess(['token', 'revoke', '1', '--json'], { folder, isTerminal: true });
  expect(stdout).toContain('"name":"shop\\u202e"');
});
