import { setupServer } from 'msw/node';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from './create-client.js';
import { createHandlers } from './msw.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { unwrap } from './unwrap.js';
import { validateReply } from './validate.js';

const max = 9223372036854775807n;
const fields = { name: 'Kew', area: -max - 1n, isOpen: true, plantIds: [max, 1n] };
const garden = { id: max, ...fields };
const scopes = ['gardens:create', 'gardens:read', 'gardens:update', 'gardens:delete'] as const;

it('is stored by the fake plant store as by the service', async () => {
  const store = createFakePlantStore({ scopes, records: { garden: [{ id: 1, ...fields }] } });
  const client = createClient(store);
  const created = await client.createGarden({ body: garden });
  expect(created).toMatchObject({ status: 200, body: fields, replayed: false });
  expect(await client.createGarden({ body: garden })).toMatchObject({ replayed: true });
  const params = { id: max };
  const read = await client.getGarden({ params });
  for (const [name, reply] of [['createGarden', created] as const, ['getGarden', read] as const])
    validateReply(name, reply);
  expect(unwrap(read)).toMatchObject({ ...garden, idText: String(max) });
  expect(unwrap(await client.listGardens({ query: { area: fields.area } })).gardens).toHaveLength(2);
  const headers = { 'if-match': read.etag ?? '' };
  const updated = await client.updateGarden({ params, headers, body: { ...fields, plantIds: [] } });
  expect(unwrap(updated)).toMatchObject({ plantIds: [] });
  expect([...store.records('garden').keys()]).toEqual([1n, max]);
  await client.deleteGarden({ params });
  const { changes } = unwrap(await client.listGardenChanges({ query: { after: '0' } }));
  expect(changes.map(({ kind, id }) => [kind, id])).toEqual([
    ['created', 1n],
    ['deleted', max],
  ]);
  expect(await client.createPlant({ body: { id: 1, name: 'Fern' } })).toMatchObject({ status: 403 });
  expect(await createClient(createFakePlantStore()).listGardens()).toMatchObject({ status: 403 });
});

it('is served by the handlers for MSW', async () => {
  const store = createFakePlantStore({ scopes });
  const server = setupServer(...createHandlers(store));
  server.listen();
  onTestFinished(() => server.close());
  const { baseUrl, token } = store;
  const reply = await createClient({ baseUrl, token }).createGarden({ body: garden });
  expect(reply).toMatchObject({ status: 200, body: fields, replayed: false });
});
