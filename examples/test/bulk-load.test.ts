import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { run, start, until } from './support/process.ts';
import { startProxy } from './support/proxy.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

const { folder, command } = findExample('bulk-load');
const quiet = { NODE_OPTIONS: '--no-warnings' };

/** Writes a file of NDJSON, and returns its path. */
async function writeLines(lines: readonly (string | Buffer)[]): Promise<string> {
  const file = join(await createTemporaryFolder(), 'plants.ndjson');
  await writeFile(file, Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
  return file;
}

const plantLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"id":${index + 1},"name":"plant ${index + 1}"}`);

const load = (file: string, environment: Readonly<Record<string, string>>) =>
  run(['node', 'load.ts', file], { folder, environment: { ...quiet, ...environment } });

it('stores the plants of its README exactly, and finds them there when it is run again', async () => {
  const service = await startService();
  const environment = { ...quiet, ...service.environment };
  const first = await run(['sh', '-c', command], { folder, environment });
  expect(first).toMatchObject({ status: 0, stdout: '' });
  expect(first.stderr).toContain('100 %: 3 stored, 0 there already, 0 rejected');
  expect(await service.readPlants()).toEqual([
    '{"id":-10002,"name":"Rose"}',
    '{"id":10003,"name":"Fern"}',
    '{"id":9000000000000010001,"name":"Monstera deliciosa","tag":"houseplant"}',
  ]);
  const second = await run(['sh', '-c', command], { folder, environment });
  expect(second.stderr).toContain('100 %: 0 stored, 3 there already, 0 rejected');
});

it('lists the rejected lines with their reasons, and stores all others', async () => {
  const service = await startService();
  const file = await writeLines([
    '{"id": 1, "name": "line\u2028separator", "tag": ""}\r',
    '',
    '{"id": 1, "name": "Another"}',
    '{"id": 9223372036854775808, "name": "Rose"}',
    '{"id": "2", "name": "Rose"}',
    '{"id": 1e30, "name": "Rose"}',
    'id,name',
    Buffer.from('{"id": 3, "name": "Ros\xe9"}', 'latin1'),
    '{"id": 1e1, "name": "ten", "height": 5}',
    ...plantLines(200).slice(100),
  ]);
  const { status, stderr } = await load(file, service.environment);
  expect(status).toBe(3);
  expect(stderr).toContain('100 %: 102 stored, 0 there already, 6 rejected');
  expect(stderr).toContain(`The rejected lines, with reasons: ${file}.rejected`);
  const noPlant = expect.stringContaining('`id`, an integer');
  const rejected = (await readFile(`${file}.rejected`, 'utf8')).trimEnd().split('\n');
  const rejections = rejected.map((line) => JSON.parse(line)).toSorted((a, b) => a.line - b.line);
  expect(rejections.map(({ line, text, reason }) => [line, text, reason])).toEqual([
    [3, '{"id": 1, "name": "Another"}', expect.stringContaining('already exists with different values')],
    [4, '{"id": 9223372036854775808, "name": "Rose"}', expect.stringContaining('id')],
    [5, '{"id": "2", "name": "Rose"}', noPlant],
    [6, '{"id": 1e30, "name": "Rose"}', noPlant],
    [7, 'id,name', 'The line is not JSON.'],
    [8, expect.stringContaining('Ros'), expect.stringContaining('UTF-8')],
  ]);
  const plants = await service.readPlants();
  expect(plants).toHaveLength(102);
  expect(plants[0]).toBe('{"id":1,"name":"line\u2028separator","tag":""}');
  expect(plants[1]).toBe('{"id":10,"name":"ten"}');
});

it('waits for a service that is restarted in the middle, and stores every plant once', async () => {
  const service = await startService();
  let restarted: Promise<void> | undefined;
  const { url } = await startProxy(service.baseUrl, (index) => {
    if (index === 2) restarted = service.stop().then(() => service.restart());
    return 'pass on';
  });
  const file = await writeLines(plantLines(5_000));
  const { status, stderr } = await load(file, { ...service.environment, PLANT_STORE_URL: url });
  expect(status).toBe(0);
  await restarted;
  // By the last line of the progress. Some were stored by an attempt whose reply was lost.
  const [, stored, alreadyThere] =
    [...stderr.matchAll(/100 %: (\d+) stored, (\d+) there already, 0 rejected/g)].at(-1) ?? [];
  expect(Number(stored) + Number(alreadyThere)).toBe(5_000);
  expect(await service.readPlants()).toEqual(plantLines(5_000));
});

it('can be interrupted, and continues when it is run again', async () => {
  const service = await startService();
  const { url, requests } = await startProxy(service.baseUrl, (index) => (index < 2 ? 'pass on' : 'hold'));
  const file = await writeLines(plantLines(5_000));
  const environment = { ...quiet, ...service.environment, PLANT_STORE_URL: url };
  const running = start(['node', 'load.ts', file], { folder, environment });
  // All that are in flight at most.
  await until(() => requests.length >= 4);
  const { status, stderr } = await running.end('SIGINT');
  expect(status).toBe(1);
  expect(stderr).toContain('Stopped by SIGINT');
  expect(stderr).toContain('Run the same command again: nothing is stored twice.');
  expect(await service.readPlants()).toEqual(plantLines(2_000));
  const again = await load(file, service.environment);
  expect(again.status).toBe(0);
  expect(again.stderr).toContain('100 %: 3000 stored, 2000 there already, 0 rejected');
  expect(await service.readPlants()).toEqual(plantLines(5_000));
});

it.each([
  ['the token is rejected', ['{"id":1,"name":"Rose"}'], { PLANT_STORE_TOKEN: 'pst_wrong' }, 'access token'],
  ['there is no token', ['{"id":1,"name":"Rose"}'], { PLANT_STORE_TOKEN: '' }, 'token must be'],
  ['a line never ends', ['x'.repeat(2 ** 25)], {}, 'Line 1 is longer than 16 MiB'],
])('stops with a reason when %s', async (_, lines, changed, reason) => {
  const { environment, token } = await startService();
  const { status, stderr } = await load(await writeLines(lines), { ...environment, ...changed });
  expect(status).toBe(1);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain(token);
});

it.each([[[]], [['a', 'b']], [['--unknown', 'a']]])(
  'shows how it is used with the arguments %j',
  async (args) => {
    const { status, stderr } = await run(['node', 'load.ts', ...args], { folder, environment: quiet });
    expect(status).toBe(2);
    expect(stderr).toContain('Usage: node load.ts');
  },
);
