import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { run, start, until } from './support/process.ts';
import { startProxy } from './support/proxy.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

/** The same program in several languages, and how each is called, but for its file. */
const followers = {
  python: ['python3', 'follow.py'],
  go: ['go', 'run', 'follow.go'],
  java: ['java', '-cp', '/usr/share/java/*', 'Follow.java'],
};

/** The lines of plants as an export has them, but for their times. */
function linesOf(copy: string): readonly string[] {
  // An id with every digit, as text.
  const { plants } = JSON.parse(copy.replaceAll(/"id": ?(-?\d+)/g, '"id":"$1"'));
  const rows = Object.entries(plants as Record<string, { id: string; name: string; tag?: string }>);
  return rows
    .map(([key, { id, name, tag }]) => {
      expect(id).toBe(key);
      return { id: BigInt(id), line: `{"id":${id},${JSON.stringify({ name, tag }).slice(1)}` };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ line }) => line);
}

it.each(Object.entries(followers))(
  '%s keeps a copy that is equal after creates, deletes, restarts, errors and a restore',
  async (name, program) => {
    const { folder } = findExample(name);
    const service = await startService();
    const { url, requests } = await startProxy(service.baseUrl, [
      { status: 429, headers: { 'Retry-After': '1' } },
      { status: 503, headers: { 'Retry-After': 'Sat, 28 Nov 2026 10:00:00 GMT' } },
      'drop',
    ]);
    const temporary = await createTemporaryFolder();
    const file = join(temporary, 'plants.json');
    const follow = () =>
      start([...program, file], {
        folder,
        environment: { ...service.environment, PLANT_STORE_URL: url, GOCACHE: join(temporary, 'go') },
      });
    const send = async (method: string, path: string, body?: string) => {
      const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' };
      const reply = await fetch(service.baseUrl + path, { method, headers, body: body ?? null });
      expect(reply.ok).toBe(true);
    };
    const create = (id: bigint | number, plant = `plant ${id} \u{1f331}`) =>
      send('POST', '/plants', `{"id":${id},"name":${JSON.stringify(plant)},"tag":"x"}`);
    const isEqual = async () => {
      const plants = (await service.readPlants()).filter((line) => !line.includes('"deleted":true'));
      await until(async () => existsSync(file) && `${linesOf(await readFile(file, 'utf8'))}` === `${plants}`);
      return plants.length;
    };

    for (const id of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 1]) await create(id);
    let following = follow();
    expect(await isEqual()).toBe(4);
    expect(following.output()).toMatch(/Trying again in 1[.,]0 s: .*429/);
    await create(2);
    await send('DELETE', '/plants/1');
    expect(await isEqual()).toBe(4);

    // The service restarts in the middle, and then the follower, which continues where it was.
    await service.stop();
    await service.restart();
    await create(3);
    expect(await isEqual()).toBe(5);
    const backup = join(temporary, 'backup.db');
    await service.run('backup', backup);
    await following.end('SIGKILL');
    await create(4);
    await send('DELETE', '/plants/2');
    const before = requests.length;
    following = follow();
    expect(await isEqual()).toBe(5);
    expect(requests.slice(before).map(({ url: path }) => path)).not.toContainEqual(
      expect.stringContaining('after=0&'),
    );

    await service.stop();
    await service.run('restore', backup);
    await service.restart();
    await create(5);
    expect(await isEqual()).toBe(6);
    expect(following.output()).toContain('A backup was restored');
    expect(await readFile(file, 'utf8')).toMatch(/"id": ?9223372036854775807\b/);

    await service.run('token', 'revoke', '1');
    const { status, stderr } = await following.end();
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/\(error 401\d\d\)/);
  },
);

it.each(Object.entries(followers))(
  '%s explains how it is called, never prints the token, and has the documented address',
  async (name, program) => {
    const { folder } = findExample(name);
    const file = program.at(-1) ?? '';
    const GOCACHE = await createTemporaryFolder();
    const usage = await run(program, { folder, environment: { GOCACHE } });
    expect(usage).toMatchObject({ status: 1, stderr: expect.stringContaining(`${file} <file>`) });
    // Neither can be in a header.
    for (const token of ['', 'pst_secret\r']) {
      const environment = { GOCACHE, PLANT_STORE_URL: 'http://127.0.0.1:1', PLANT_STORE_TOKEN: token };
      const { status, stderr } = await run([...program, 'plants.json'], { folder, environment });
      expect(status).toBe(1);
      expect(stderr).toContain('PLANT_STORE_TOKEN is not an access token.');
      expect(stderr).not.toContain('pst_secret');
    }
    expect(await readFile(join(folder, file), 'utf8')).toContain('"http://127.0.0.1:3000"');
  },
);
