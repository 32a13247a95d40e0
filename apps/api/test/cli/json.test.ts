import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram, type ProgramDependencies } from '../../src/cli/program.js';
import { listen } from '../support/listen.js';
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
const ofApi: ReadonlySet<string> = new Set([
  'id',
  'idText',
  'name',
  'tag',
  'addedAt',
  'scopes',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'ratePerMinute',
]);

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
      const documented = (name: string) => ofApi.has(name) || section.includes(`\`${name}\``);
      expect(Object.keys(printed).filter((name) => !documented(name))).toEqual([]);
      return printed;
    },
  };
}

/** All commands below one, with their names. */
function listCommands(command: Command, name = ''): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((child) => {
    const path = `${name} ${child.name()}`.trim();
    return child.commands.length > 0 ? listCommands(child, path) : [[path, child] as const];
  });
}

it('is an option of each command that prints data which is not JSON already', () => {
  const context = { commandName: 'plant-store' };
  const program = createProgram({ version: '0', context } as ProgramDependencies);
  const without = listCommands(program).filter(
    ([, command]) => !command.options.some(({ long }) => long === '--json'),
  );
  expect(without.map(([name]) => name).toSorted()).toEqual([
    'completion',
    'export',
    'invalidate-cursors',
    'serve',
    'token export',
    'worker',
  ]);
  for (const [name, command] of listCommands(program))
    if (!without.some(([other]) => other === name)) expect(command.helpInformation()).toContain('--json');
});

it('prints plants and tokens as the API gives them, with every digit', async () => {
  const { folder, run } = useCommands();
  const { secret } = JSON.parse((await run('token create --name ops --can admin,read --json')).stdout);
  await run(
    'import',
    [plantLine(-(2n ** 63n)), plantLine(1, 'Fern \u202e'), plantLine(2n ** 63n - 1n)].join(''),
  );
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
  expect(`{"tokens":[${await lines('token list --json')}]}`.replace(/,"lastUsedAt":"[^"]+"/, '')).toBe(
    await tokens(),
  );
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
  expect(await printed(`delete ${id}`, /^1 deleted, /)).toEqual({
    deleted: 1,
    deletedBefore: 0,
    neverExisted: 0,
    bad: 0,
  });
  expect(await printed(`show ${id}`)).toEqual({
    id: Number(id),
    idText: `${id}`,
    deleted: true,
    addedAt: time,
    deletedAt: time,
  });
});

it('prints who has added, updated and deleted a plant', async () => {
  const { folder, printed } = useJson();
  const { baseUrl, token, stop } = await startTestService({ DATABASE_URL: `file:${storePath(folder)}` });
  const send = (method: string, path: string, body?: object) =>
    fetch(new URL(path, baseUrl), {
      method,
      body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'If-Match': '*' },
    });
  await send('POST', '/plants', { id: 1, name: 'Fren' });
  await send('PUT', '/plants/1', { name: 'Fern' });
  const who = { id: 1, name: 'test' };
  const plant = { id: 1, idText: '1', name: 'Fern', addedAt: time, addedBy: who };
  const updated = { ...plant, updatedAt: time, updatedBy: who };
  expect([await printed('show 1'), await printed('list --by')]).toEqual([updated, updated]);
  await send('DELETE', '/plants/1');
  expect(await printed('show 1')).toMatchObject({
    deleted: true,
    addedBy: who,
    deletedAt: time,
    deletedBy: who,
  });
  await stop();
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
  const rotated = await printed(
    'token rotate 1 --overlap 0',
    /^Issued token 3 "shop"[\s\S]+Token 1 "shop" is revoked/,
  );
  expect(rotated).toEqual({ ...shop, id: 3, secret });
  expect(await run('token find --json', `${issued['secret']}`)).toEqual(
    succeeded(expect.stringMatching(/^\{"id":1,"name":"shop",.*"revokedAt":"[^"]+"\}\n$/)),
  );
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
    stderr: expect.stringMatching(/^line 2: .*\n1 imported, .*\nplant-store: 1 line was invalid/),
  });
  writeFileSync(join(folder, 'ids'), '7\n1\n');
  expect(await run('delete --from ids --json')).toMatchObject({
    exitCode: 1,
    stdout: '{"deleted":1,"deletedBefore":0,"neverExisted":1,"bad":0,"nextLine":3}\n',
  });
  await run('import', plantLine(2));
  const backup = join(folder, 'copy.db');
  const sum = () => execFileSync('sha256sum', [backup], { encoding: 'utf8' }).slice(0, 64);
  const counts = { plants: 1, tokens: 0, storeId: expect.stringMatching(/^[0-9a-f]{16}$/) };
  expect(await printed('backup copy.db', /^1 plant copied/)).toEqual({
    backup,
    ...counts,
    sha256: expect.any(String),
  });
  expect(await printed('backup', /^1 plant copied/)).toMatchObject({
    sha256: expect.stringMatching(/^\w{64}$/),
  });
  expect((await printed('backup other.db', /copied/))['sha256']).toHaveLength(64);
  const found = {
    backup,
    madeAt: time,
    verified: true,
    ...counts,
    pendingMigrations: [],
    database: storePath(folder),
  };
  expect(await printed('restore copy.db --dry-run', /Nothing was changed/)).toEqual({
    restored: false,
    ...found,
  });
  expect(await printed('restore copy.db', /Start the service/)).toEqual({
    restored: true,
    ...found,
    kept: expect.stringContaining('.before-restore-'),
  });
  expect(sum()).toMatch(/^\w{64}$/);
});

it('prints the reply of /readyz, whatever it is', async () => {
  for (const [status, body, expected] of [
    [
      200,
      '{"status":"ready","warnings":["slow"]}',
      succeeded('{"status":"ready","warnings":["slow"]}\n', 'slow\n'),
    ],
    [
      503,
      '{"status":"unavailable","reason":"shutting_down"}',
      failed(/not ready: shutting_down/, '{"status":"unavailable","reason":"shutting_down"}\n'),
    ],
  ] as const) {
    const url = await listen(createServer((_, response) => response.writeHead(Number(status)).end(body)));
    expect(await useCommands().run(`ready --json --url ${url}`)).toEqual(expected);
  }
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
    expect([line, await run(`${line} --json`)]).toEqual([
      line,
      failed(/^(plant-store|error): .+/, '', exitCode),
    ]);
});

it('ends without a message once the reader of its output has read enough', async () => {
  const { folder, run } = useCommands();
  await run('import', Array.from({ length: 20_000 }, (_, id) => plantLine(id, 'x'.repeat(50))).join(''));
  for (const args of ['list --json', 'list --json --by', 'list', 'export']) {
    const script = `"$0" "$1" ${args} | head -n 1`;
    const output = execFileSync('sh', ['-c', `exec 2>&1; ${script}`, process.execPath, main], {
      cwd: folder,
      env: {},
    });
    expect(String(output).trimEnd().split('\n')).toHaveLength(1);
  }
});

it('escapes on a terminal what would change how other text is shown', async () => {
  const { folder, run } = useJson();
  await run('token create --name shop\u202E');
  const args = ['token', 'revoke', '1', '--json'];
  const { stdout } = await runInProcess(args, { folder, isTerminal: true });
  expect(stdout).toContain('"name":"shop\\u202e"');
  expect(JSON.parse(stdout)).toMatchObject({ name: 'shop\u202E' });
});
