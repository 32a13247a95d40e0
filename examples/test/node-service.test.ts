import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClientWithTokenFile } from '../node-service/create-client-with-token-file.ts';
import { handleOrders } from '../node-service/service.ts';
import { findExample } from './support/example.ts';
import { listen } from './support/listen.ts';
import { post } from './support/post.ts';
import { start } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

afterEach(() => vi.restoreAllMocks());

describe('the service', () => {
  it('stores plants exactly, and takes over a token that is replaced', async () => {
    const service = await startService();
    const token = join(await createTemporaryFolder(), 'token');
    await writeFile(token, `${service.token}\n`);
    const { folder, command } = findExample('node-service');
    const environment = { ...service.environment, PORT: '0', NODE_OPTIONS: '--no-warnings' };
    const documented = command.replace('PLANT_STORE_TOKEN_FILE=token', `PLANT_STORE_TOKEN_FILE=${token}`);
    const example = start(['sh', '-c', `exec env ${documented}`], { folder, environment });
    const [url] = await example.waitFor(/http:\S+/);
    const order = { plant: '9223372036854775807', name: 'Rose' };
    expect(await post(url, order)).toEqual([200, { stored: order.plant, name: 'Rose' }]);
    const smallest = { plant: '-9223372036854775808', name: 'Aloe' };
    expect(await post(url, smallest)).toEqual([200, { stored: smallest.plant, name: 'Aloe' }]);

    await writeFile(token, (await service.run('token', 'rotate', '1', '--overlap', '0')).trim());
    expect(await post(url, { plant: '1', name: 'Fern' })).toEqual([200, { stored: '1', name: 'Fern' }]);
    expect(await service.readPlants()).toEqual([
      '{"id":-9223372036854775808,"name":"Aloe"}',
      '{"id":1,"name":"Fern"}',
      '{"id":9223372036854775807,"name":"Rose"}',
    ]);
    expect(await example.end('SIGTERM')).toMatchObject({ status: 0 });
  });

  const order = async (store: ReturnType<typeof createFakePlantStore>, body: unknown) => {
    const { baseUrl, token, fetch } = store;
    const url = await listen(createServer(handleOrders(createClient({ baseUrl, token, fetch, retries: 0 }))));
    return post(url, body);
  };

  it('shows what is wrong with an order', async () => {
    const store = createFakePlantStore();
    await order(store, { plant: '1', name: 'Rose' });
    expect(await order(store, { plant: '1', name: 'Fern' })).toEqual([
      422,
      { message: 'The id 1 belongs to another plant. Choose another id.' },
    ]);
    expect(await order(store, { plant: 1, name: 'Rose' })).toMatchObject([400, {}]);
    expect(await order(store, undefined)).toEqual([400, { message: 'The order is not JSON.' }]);
  });

  it.each<Fault>([{ kind: 'drop' }, { kind: 'malformed', body: 'html' }, { kind: 'status', status: 503 }])(
    'responds with 502 and logs the error, for %j',
    async (fault) => {
      const log = vi.spyOn(console, 'error').mockReturnValue();
      const store = createFakePlantStore();
      store.fail(fault);
      expect(await order(store, { plant: '1', name: 'Rose' })).toMatchObject([502, {}]);
      expect(log).toHaveBeenCalledOnce();
    },
  );
});

describe('createClientWithTokenFile', () => {
  it('reads a new token from the file when the old one is rejected', async () => {
    const file = join(await createTemporaryFolder(), 'token');
    const { baseUrl, fetch, acceptTokens } = createFakePlantStore({ token: 'old' });
    await writeFile(file, 'old\n');
    const client = createClientWithTokenFile(file, { baseUrl, fetch });
    const create = async (id: number) => (await client.createPlant({ body: { id, name: 'Rose' } })).status;
    expect(await create(1)).toBe(200);
    await writeFile(file, 'new\n');
    expect(await create(2)).toBe(200);
    acceptTokens('new');
    expect(await create(3)).toBe(200);
    acceptTokens('newest');
    expect(await create(4)).toBe(401);
  });
});
