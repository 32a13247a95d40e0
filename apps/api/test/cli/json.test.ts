import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listCommands } from '../support/list-commands.js';
import { postPlant, sendJson } from '../support/post-plant.js';
import { storePath } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
import { readPage } from '../support/read-markdown.js';
import { startTestService } from '../support/start-test-service.js';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const [, section = ''] = readPage('docs/operate/cli.md').split('\n## JSON\n');
const [documented = ''] = section.split('\n## ');

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
      for (const name of Object.keys(printed)) expect(documented).toContain(`\`${name}\``);
      return printed;
    },
  };
}

it('is an option of each command that prints data which is not JSON already', () => {
  const without: string[] = [];
  for (const [name, command] of listCommands())
    if (!command.options.some(({ long }) => long === '--json')) without.push(name);
    else {
      expect(command.helpInformation()).toContain('--json');
      expect(documented).toMatch(new RegExp(`^\\| (\`.+\`, )?\`${name}\``, 'm'));
    }
  expect(without.toSorted().join()).toBe('completion,export,invalidate-cursors,serve,token export,worker');
});

it('prints plants and tokens as the API gives them, with every digit', async () => {
  const { folder, run } = useCommands();
  const { secret } = JSON.parse((await run('token create --name ops --can admin,read --json')).stdout);
  await run('import', plantLine(-(2n ** 63n)) + plantLine(1, 'Fern \u202e') + plantLine(2n ** 63n - 1n));
  await run('update 1 --tag shade');
  await run('token create --name shop --rate 5 --expires 1d');
  await run('token revoke shop');
  const service = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  const get = async (path: string) => {
    const headers = { Authorization: `Bearer ${secret}` };
    return (await fetch(new URL(path, service.baseUrl), { headers })).text();
  };
  const lines = async (line: string) => (await run(line)).stdout.trimEnd().split('\n').join(',');
  expect(`{"plants":[${await lines('list --json')}]}`).toBe(await get('/plants'));
  expect(await lines('list --json --tag shade')).toBe(await get('/plants/1'));
  const tokens = async () => (await get('/tokens')).replace(/,"lastUsedAt":"[^"]+"/, '');
  const list = `{"tokens":[${await lines('token list --json')}]}`;
  expect(list.replace(/,"lastUsedAt":"[^"]+"/, '')).toBe(await tokens());
  await service.stop();
});

it('prints what became of a plant, and by whom', async () => {
  const { printed, run } = useJson();
  const id = 2n ** 63n - 1n;
  await run('import', plantLine(id));
  const plant = { id: Number(id), idText: `${id}`, name: `plant ${id}`, addedAt: time };
  expect((await run(`show ${id} --json`)).stdout).toMatch(`{"id":${id},"idText":"${id}",`);
  expect(await printed(`show ${id}`)).toEqual(plant);
  expect(await printed(`update ${id} --tag shade`)).toEqual({ ...plant, tag: 'shade' });
  const updated = { ...plant, tag: 'shade', updatedAt: time };
  expect(await printed(`show ${id}`)).toEqual(updated);
  expect(await printed('list --by')).toEqual(updated);
  const counts = { deleted: 1, deletedBefore: 0, neverExisted: 0, bad: 0 };
  expect(await printed(`delete ${id}`, /^1 deleted, /)).toEqual(counts);
  const { name: _, ...gone } = plant;
  expect(await printed(`show ${id}`)).toEqual({ ...gone, deleted: true, deletedAt: time });
});

it('prints who has added, updated and deleted a plant', async () => {
  const { folder, printed } = useJson();
  const service = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  await postPlant(service, { id: 1, name: 'Fren' });
  await sendJson(service, 'PUT /plants/1', { name: 'Fern' }, { 'If-Match': '*' });
  const who = { id: 1, name: 'test' };
  const plant = { id: 1, idText: '1', name: 'Fern', addedAt: time, addedBy: who };
  const updated = { ...plant, updatedAt: time, updatedBy: who };
  expect([await printed('show 1'), await printed('list --by')]).toEqual([updated, updated]);
  await sendJson(service, 'DELETE /plants/1');
  const deleted = { deleted: true, addedBy: who, deletedAt: time, deletedBy: who };
  expect(await printed('show 1')).toMatchObject(deleted);
  await service.stop();
});

it('prints tokens that are issued, rotated, found, revoked and imported', async () => {
  const { folder, printed, run } = useJson();
  const scopes = ['create', 'read', 'update', 'delete'];
  const secret = expect.stringMatching(/^pst_\w{49}$/);
  const shop = { id: 1, name: 'shop', scopes, createdAt: time };
  const issued = await printed('token create --name shop', /^Issued token 1 "shop"/);
  expect(issued).toEqual({ ...shop, secret });
  expect(await printed('token create --name page --link https://plants.example.com', /^Issued/)).toEqual({
    id: 2,
    name: 'page',
    scopes,
    createdAt: time,
    secret,
    link: expect.stringMatching(/^https:\/\/plants\.example\.com\/#token=pst_\w{49}$/),
  });
  const reported = /^Issued token 3 "shop"[\s\S]+Token 1 "shop" is revoked/;
  expect(await printed('token rotate 1 --overlap 0', reported)).toEqual({ ...shop, id: 3, secret });
  const revoked = succeeded(/^\{"id":1,"name":"shop",.*"revokedAt":"[^"]+"\}\n$/);
  expect(await run('token find --json', `${issued['secret']}`)).toEqual(revoked);
  expect(await printed('token revoke 3', /is revoked/)).toEqual({ ...shop, id: 3, revokedAt: time });
  writeFileSync(join(folder, 'tokens'), (await run('token export')).stdout);
  expect(await printed('token import tokens', /^0 imported/)).toEqual({ imported: 0, alreadyThere: 3 });
  expect(await useCommands().run('token list --json')).toMatchObject({ exitCode: 1, stdout: '' });
});

it('prints what was migrated, imported, deleted, backed up and restored', async () => {
  const { folder, printed, run } = useJson();
  const { applied } = await printed('migrate');
  expect(applied).toContainEqual(expect.stringMatching(/^\d{14}_\w+$/));
  expect(await printed('migrate', /up to date/)).toEqual({ applied: [] });
  expect(await run('import --json', `${plantLine(1)}bad\n${plantLine(1)}`)).toMatchObject({
    exitCode: 1,
    stdout: '{"imported":1,"alreadyThere":1,"bad":1,"nextLine":4}\n',
    stderr: expect.stringMatching(/^line 2: .*\n1 imported, .*\nplant-store: 1 line is bad/),
  });
  writeFileSync(join(folder, 'ids'), '7\n1\n');
  expect(await run('delete --from ids --json')).toMatchObject({
    exitCode: 1,
    stdout: '{"deleted":1,"deletedBefore":0,"neverExisted":1,"bad":0,"nextLine":3}\n',
  });
  await run('import', plantLine(2));
  const backup = join(folder, 'copy.db');
  const counts = { plants: 1, tokens: 0, storeId: expect.stringMatching(/^[0-9a-f]{16}$/) };
  const made = await printed('backup copy.db', /^1 plant copied/);
  const sha256 = execFileSync('sha256sum', [backup], { encoding: 'utf8' }).slice(0, 64);
  expect(made).toEqual({ backup, ...counts, sha256 });
  const { sha256: other } = await printed('backup', /^1 plant copied/);
  expect(other).toMatch(/^\w{64}$/);
  const ofStore = { pendingMigrations: [], database: storePath(folder) };
  const found = { backup, madeAt: time, verified: true, ...counts, ...ofStore };
  const tried = await printed('restore copy.db --dry-run', /Nothing was changed/);
  expect(tried).toEqual({ restored: false, ...found });
  const kept = expect.stringContaining('.before-restore-');
  const restored = await printed('restore copy.db', /Start the service/);
  expect(restored).toEqual({ restored: true, ...found, kept });
});

it('leaves standard output empty where a command fails before there is any, and the error is text', async () => {
  const { run } = useCommands();
  await run('import', plantLine(1));
  for (const [line, exitCode] of [
    ['show 2', 1],
    ['update 2 --name x', 1],
    ['token revoke 9', 1],
    ['backup no/such/folder/x.db', 1],
    ['restore nowhere', 1],
    ['ready --url http://127.0.0.1:1', 1],
    ['list --format csv', 2],
  ] as const)
    expect(await run(`${line} --json`), line).toEqual(failed(/^(plant-store|error): .+/, '', exitCode));
});

it('escapes on a terminal what would change how other text is shown', async () => {
  const { folder, run } = useJson();
  await run('token create --name shop\u202E');
  const args = ['token', 'revoke', '1', '--json'];
  const { stdout } = await runInProcess(args, { folder, isTerminal: true });
  expect(stdout).toContain('"name":"shop\\u202e"');
  expect(JSON.parse(stdout)).toMatchObject({ name: 'shop\u202E' });
});
