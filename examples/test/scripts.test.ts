import { describe, expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { type Result, run } from './support/process.ts';
import { type Step, startProxy } from './support/proxy.ts';
import { startService } from './support/service.ts';

/** The same script in several languages, and how each is called with other plants than the one in its README. */
const scripts = [
  { name: 'bun', call: (id: string, name: string) => ['bun', 'add-plant.ts', id, name] },
  {
    name: 'deno',
    call: (id: string, name: string) => [
      'deno',
      'run',
      '--allow-env',
      '--allow-net',
      'add-plant.ts',
      id,
      name,
    ],
  },
  { name: 'python', call: (id: string, name: string) => ['python3', 'add_plant.py', id, name] },
  {
    name: 'curl',
    call: (id: string, name: string) => [
      'sh',
      'add-plant.sh',
      `{"id": ${id}, "name": ${JSON.stringify(name)}}`,
    ],
  },
] as const;

describe.each(scripts)('$name', ({ name, call }) => {
  const { folder, command, path } = findExample(name);
  /** The id in the command, which no `number` holds. */
  const [id = ''] = /\d{19}/.exec(command) ?? [];
  const documented = `{"id":${id},"name":"Monstera deliciosa","tag":"houseplant"}`;
  /** Runs a command with the service, or with what is at `url`. */
  const runWith = (command: readonly string[], environment: Readonly<Record<string, string>>) =>
    run(command, { folder, environment: { ...environment, ...path } });

  it('stores the plant of its README exactly, and succeeds again for the same plant', async () => {
    const service = await startService();
    const first = await runWith(['sh', '-c', command], service.environment);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(await service.readPlants()).toEqual([documented]);
    const second = await runWith(['sh', '-c', command], service.environment);
    expect(second).toMatchObject({ status: 0, stderr: '' });
    if (name !== 'curl') {
      expect(first.stdout).toBe(`${id} is stored\n`);
      expect(second.stdout).toBe(`${id} was there already\n`);
    }
    expect(await service.readPlants()).toEqual([documented]);
  });

  it('shows why a plant is rejected, and fails', async () => {
    const service = await startService();
    const create = (id: string, name: string) => runWith(call(id, name), service.environment);
    expect(await create('-9223372036854775808', 'Rose')).toMatchObject({ status: 0 });
    expect(await create('9223372036854775807', 'Ivy')).toMatchObject({ status: 0 });
    expectRejection(await create('-9223372036854775808', 'Fern'), 40003, 'belongs to another plant');
    expectRejection(await create('9223372036854775808', 'Rose'), 40002, 'id');
    const environment = { ...service.environment, PLANT_STORE_TOKEN: 'pst_wrong' };
    expectRejection(await runWith(call('1', 'Rose'), environment), 40101, 'token');
    expect(await service.readPlants()).toEqual([
      '{"id":-9223372036854775808,"name":"Rose"}',
      '{"id":9223372036854775807,"name":"Ivy"}',
    ]);
  });

  // curl retries no broken connection.
  const retried: readonly (readonly Step[])[] =
    name === 'curl'
      ? [[{ status: 429, headers: { 'Retry-After': '1' } }, { status: 503 }]]
      : [
          [{ status: 503, headers: { 'Retry-After': '1' } }, 'store, then drop'],
          ['drop in the body', 'store, then drop'],
        ];

  it.each(retried.map((steps) => [JSON.stringify(steps), steps] as const))(
    'retries after %s',
    async (_, steps) => {
      const service = await startService();
      const { url, requests } = await startProxy(service.baseUrl, steps);
      const environment = { ...service.environment, PLANT_STORE_URL: url };
      const { status, stdout } = await runWith(call('1', 'Rose'), environment);
      expect(status).toBe(0);
      expect(stdout).toMatch(name === 'curl' ? /^{"name":"Rose"}$/ : /^1 was there already\n$/);
      expect(requests).toHaveLength(3);
      expect(requests[2]?.body).toBe(requests[0]?.body);
      expect(await service.readPlants()).toEqual(['{"id":1,"name":"Rose"}']);
    },
  );

  it('fails without a service, and never prints the token', async () => {
    const environment = { PLANT_STORE_URL: 'http://127.0.0.1:1', PLANT_STORE_TOKEN: 'pst_secret' };
    const { status, stdout, stderr } = await runWith(call('1', 'Rose'), environment);
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('pst_secret');
    if (name !== 'curl') expect(stderr).toContain('Run the same command again: nothing is stored twice.');
  });

  it('never prints a token that cannot be in a header', async () => {
    for (const PLANT_STORE_TOKEN of ['pst_secret\r', 'pst_secret\n']) {
      const environment = { PLANT_STORE_URL: 'http://127.0.0.1:1', PLANT_STORE_TOKEN };
      const { status, stdout, stderr } = await runWith(call('1', 'Rose'), environment);
      expect(status).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).not.toContain('pst_secret');
      if (name === 'python') {
        expect({ status, stderr }).toEqual({
          status: 2,
          stderr: 'PLANT_STORE_TOKEN is not an access token.\n',
        });
      }
    }
  });

  it('fails at a redirect, and does not follow it', async () => {
    const service = await startService();
    const { url, requests } = await startProxy(service.baseUrl, [
      { status: 307, headers: { Location: `${service.baseUrl}/plants` } },
    ]);
    const { status, stderr } = await runWith(call('1', 'Rose'), {
      ...service.environment,
      PLANT_STORE_URL: url,
    });
    expect(status).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(requests).toHaveLength(1);
    expect(await service.readPlants()).toEqual([]);
  });
});

it('the Deno script has no type error', async () => {
  const { folder, path } = findExample('deno');
  const checked = await run(['deno', 'check', 'add-plant.ts'], { folder, environment: path });
  expect(checked).toMatchObject({ status: 0 });
});

function expectRejection({ status, stdout, stderr }: Result, error: number, words: string): void {
  expect(status).not.toBe(0);
  expect(stdout + stderr).toContain(String(error));
  expect(stdout + stderr).toContain(words);
}
