import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { handleSales } from '../node-service/service.ts';
import { post, startExample } from './support/example.ts';
import { until } from './support/process.ts';
import { listen } from './support/proxy.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

afterEach(() => vi.restoreAllMocks());

it('stores plants exactly, and takes over a token that is replaced', async () => {
  const service = await startService();
  const token = join(await createTemporaryFolder(), 'token');
  await writeFile(token, `${service.token}\n`);
  const { url, plant, end } = await startExample('node-service', service.environment, /http:\S+/, (command) =>
    `exec env ${command}`.replace('TOKEN_FILE=token', `TOKEN_FILE=${token}`),
  );
  expect(await post(url, plant)).toEqual([200, { stored: plant.plant, name: 'Rose' }]);
  const smallest = { plant: '-9223372036854775808', name: 'Aloe' };
  expect(await post(url, smallest)).toEqual([200, { stored: smallest.plant, name: 'Aloe' }]);

  await writeFile(token, (await service.run('token', 'rotate', '1', '--overlap', '0')).trim());
  expect(await post(url, { plant: '1', name: 'Fern' })).toEqual([200, { stored: '1', name: 'Fern' }]);
  expect(await service.readPlants()).toEqual([
    '{"id":-9223372036854775808,"name":"Aloe"}',
    '{"id":1,"name":"Fern"}',
    `{"id":${plant.plant},"name":"Rose"}`,
  ]);
  // A token that the file does not replace.
  await service.run('token', 'revoke', '2');
  await until(async () => (await post(url, plant))[0] === 502);
  expect(await end('SIGTERM')).toMatchObject({ status: 0 });
});

const sale = async (store: ReturnType<typeof createFakePlantStore>, body: unknown) => {
  const { baseUrl, token, fetch } = store;
  const url = await listen(createServer(handleSales(createClient({ baseUrl, token, fetch, retries: 0 }))));
  return post(url, body);
};

it('shows what is wrong with a sale', async () => {
  const store = createFakePlantStore();
  await sale(store, { plant: '1', name: 'Rose' });
  const message = 'Plant 1 already exists with different values. Choose another ID.';
  expect(await sale(store, { plant: '1', name: 'Fern' })).toEqual([422, { message }]);
  expect(await sale(store, { plant: 1, name: 'Rose' })).toMatchObject([400, {}]);
  expect(await sale(store, undefined)).toEqual([400, { message: 'The sale is not JSON.' }]);
});

it.each<Fault>([{ kind: 'drop' }, { kind: 'malformed', body: 'html' }, { kind: 'status', status: 503 }])(
  'responds with 502 and logs the error, for %j',
  async (fault) => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const store = createFakePlantStore();
    store.fail(fault);
    expect(await sale(store, { plant: '1', name: 'Rose' })).toMatchObject([502, {}]);
    expect(log).toHaveBeenCalledOnce();
  },
);
