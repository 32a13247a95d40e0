import { describe, expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { run } from './support/process.ts';
import { type Step, startProxy } from './support/proxy.ts';
import { startService } from './support/service.ts';

/** A request that is answered with a status, to be sent again in a second, or without saying when. */
const soon = (status: number): Step => ({ status, headers: { 'Retry-After': '1' } });
const lost: Step[][] = [
  [soon(503), 'store, then drop'],
  ['drop in the body', 'store, then drop'],
];
const json = (id: string, name: string) => `{"id": ${id}, "name": ${JSON.stringify(name)}}`;

/** The same script in several languages: how each is called, but for id and name, and after what it retries. */
const scripts = [
  { name: 'bun', program: ['bun', 'add-plant.ts'], retried: lost },
  { name: 'deno', program: ['deno', 'run', '--allow-env', '--allow-net', 'add-plant.ts'], retried: lost },
  { name: 'python', program: ['python3', 'add_plant.py'], retried: lost },
  // curl retries no broken connection.
  { name: 'curl', program: ['sh', 'add-plant.sh'], retried: [[soon(429), { status: 503 }]] },
];

describe.each(scripts)('$name', ({ name, program, retried }) => {
  const { folder, command, path } = findExample(name);
  const isCurl = name === 'curl';
  const runWith = (command: readonly string[], environment: Readonly<Record<string, string>>) =>
    run(command, { folder, environment: { ...environment, ...path } });
  const add = (id: string, plant: string, environment: Readonly<Record<string, string>>) =>
    runWith([...program, ...(isCurl ? [json(id, plant)] : [id, plant])], environment);

  it('stores the plant of its README exactly, succeeds again for it, and shows why others are rejected', async () => {
    const { environment, readPlants } = await startService();
    // No `number` holds it.
    const [id = ''] = /\d{19}/.exec(command) ?? [];
    for (const done of ['is stored', 'was there already']) {
      const { stdout, ...result } = await runWith(['sh', '-c', command], environment);
      expect(result).toEqual({ status: 0, stderr: '' });
      if (!isCurl) expect(stdout).toBe(`${id} ${done}\n`);
    }
    expect(await add('-9223372036854775808', 'Ivy', environment)).toMatchObject({ status: 0 });
    const wrong = { ...environment, PLANT_STORE_TOKEN: 'pst_wrong' };
    for (const [result, error, words] of [
      [await add(id, 'Fern', environment), '40003', 'already exists with different values'],
      [await add('9223372036854775808', 'Rose', environment), '40002', 'id'],
      [await add('1', 'Rose', wrong), '40101', 'token'],
    ] as const) {
      expect(result.status).not.toBe(0);
      for (const text of [error, words]) expect(result.stdout + result.stderr).toContain(text);
    }
    expect(await readPlants()).toEqual([
      '{"id":-9223372036854775808,"name":"Ivy"}',
      `{"id":${id},"name":"Monstera deliciosa","tag":"houseplant"}`,
    ]);
  });

  it.each(retried.map((steps) => [JSON.stringify(steps), steps] as const))(
    'retries after %s',
    async (_, steps) => {
      const service = await startService();
      const { url, requests } = await startProxy(service.baseUrl, steps);
      const environment = { ...service.environment, PLANT_STORE_URL: url };
      const { status, stdout } = await add('1', 'Rose', environment);
      expect(status).toBe(0);
      expect(stdout).toMatch(isCurl ? /^{"name":"Rose"}$/ : /^1 was there already\n$/);
      expect(requests).toHaveLength(3);
      expect(requests[2]?.body).toBe(requests[0]?.body);
      expect(await service.readPlants()).toEqual(['{"id":1,"name":"Rose"}']);
    },
  );

  // The last two tokens cannot be in a header.
  it.each(['pst_secret', 'pst_secret\r', 'pst_secret\n'])(
    'fails without a service, and never prints the token %j',
    async (token) => {
      const environment = { PLANT_STORE_URL: 'http://127.0.0.1:1', PLANT_STORE_TOKEN: token };
      const { status, stdout, stderr } = await add('1', 'Rose', environment);
      expect(status).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).not.toContain('pst_secret');
      const isValid = token === 'pst_secret';
      if (isValid && !isCurl)
        expect(stderr).toContain('Run the same command again: nothing is stored twice.');
      if (!isValid && name === 'python') expect(stderr).toBe('PLANT_STORE_TOKEN is not an access token.\n');
    },
  );

  it('fails at a redirect, and does not follow it', async () => {
    const target = await startProxy('http://127.0.0.1:1', []);
    const location = { status: 307, headers: { Location: `${target.url}/plants` } };
    const { url, requests } = await startProxy(target.url, [location]);
    const environment = { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: 'pst_secret' };
    const { status, stderr } = await add('1', 'Rose', environment);
    expect(status).not.toBe(0);
    expect(stderr).not.toBe('');
    expect([requests.length, target.requests.length]).toEqual([1, 0]);
  });
});

it('the Deno script has no type error', async () => {
  const { folder, path } = findExample('deno');
  const checked = await run(['deno', 'check', 'add-plant.ts'], { folder, environment: path });
  expect(checked).toMatchObject({ status: 0 });
});
