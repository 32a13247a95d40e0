import { createClient, unwrap } from '@plant-store/client';
import { defaultScopes, type Scope } from '@plant-store/contract/access-token';
import { afterAll, expect, it } from 'vitest';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { useTestService } from '../support/start-test-service.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);
const clientOf = (token: string) => createClient({ baseUrl: service.baseUrl, token });

async function open(scopes: readonly Scope[]) {
  const { secret: text, token } = await service.accessTokens.issue({ name: 'shop', scopes });
  return { client: clientOf(text), id: String(token.id) };
}

const isAdmin: readonly Scope[] = [...defaultScopes, 'admin'];

/** What each operation that reads shows of plants, by their ids. */
async function readAll(client: ReturnType<typeof createClient>, after: string) {
  const [one, batch, page, newest, changes, waiting] = await Promise.all([
    unwrap(client.getPlant({ params: { id: 1 } })),
    unwrap(client.getPlants({ body: { ids: ['1', '2', '4', '99'] } })),
    unwrap(client.listPlants()),
    unwrap(client.listPlants({ query: { order: 'newest', tag: 'indoor' } })),
    unwrap(client.listChanges({ query: { after } })),
    unwrap(client.listChanges({ query: { after, wait: 5 } })),
  ]);
  return {
    one: [one],
    batch: batch.results.flatMap((result) => (result.status === 200 ? result.plant : [])),
    page: page.plants,
    newest: newest.plants,
    changes: changes.changes.flatMap(({ plant }) => plant ?? []),
    waiting: waiting.changes.flatMap(({ plant }) => plant ?? []),
  };
}

it('a token with the scope admin sees who has added and updated each plant, and no other one does, with the same ETags', async () => {
  const admin = await open(isAdmin);
  const [creator, editor] = [await open(defaultScopes), await open(defaultScopes)];
  const jwt = clientOf(await provider.sign({ sub: 'anna', scope: 'plants:create plants:read' }));
  const { next } = await unwrap(admin.client.listChanges());
  for (const id of [1, 2, 3])
    await unwrap(creator.client.createPlant({ body: { id, name: `plant ${id}`, tag: 'indoor' } }));
  await unwrap(jwt.createPlant({ body: { id: 4, name: 'plant 4', tag: 'indoor' } }));
  await unwrap(creator.client.deletePlant({ params: { id: 3 } }));
  const [headers, body] = [{ 'if-match': '*' }, { name: 'new', tag: 'indoor' }];
  await unwrap(editor.client.updatePlant({ params: { id: 2 }, headers, body }));
  const people = {
    1: { addedBy: creator.id, changedBy: undefined },
    2: { addedBy: creator.id, changedBy: editor.id },
    4: { addedBy: 'subject anna', changedBy: undefined },
  };
  const expected = (...ids: (keyof typeof people)[]) => ids.map((id) => ({ id: BigInt(id), ...people[id] }));
  // Both at the same time, so that one could get the reply of the other.
  const [seen, own] = await Promise.all([readAll(admin.client, next), readAll(creator.client, next)]);
  const pick = (plants: readonly { id?: number | bigint; addedBy?: string; changedBy?: string }[]) =>
    plants.map(({ id, addedBy, changedBy }) => ({ id, addedBy, changedBy }));
  const picked = Object.entries(seen).map(([name, plants]) => [name, pick(plants as never)]);
  expect(Object.fromEntries(picked)).toEqual({
    one: expected(1),
    batch: expected(1, 2, 4),
    page: expected(1, 2, 4),
    newest: expected(4, 2, 1),
    changes: expected(1, 4, 2),
    waiting: expected(1, 4, 2),
  });
  for (const plants of Object.values(own)) {
    expect(plants.length).toBeGreaterThan(0);
    for (const plant of plants) {
      expect(plant).not.toHaveProperty('addedBy');
      expect(plant).not.toHaveProperty('changedBy');
    }
  }
  const params = { id: 2 };
  const { etag } = await admin.client.getPlant({ params });
  for (const { client } of [admin, creator]) {
    expect((await client.getPlant({ params })).etag).toBe(etag);
    const known = await client.getPlant({ params, headers: { 'if-none-match': `${etag}` } });
    expect(known.status).toBe(304);
  }
});

it('two JSON Web Tokens of one subject, of which one has the scope admin, do not share a list', async () => {
  const sign = (scope: string) => provider.sign({ sub: 'bob', scope });
  const creator = clientOf(await sign('plants:read plants:create'));
  const admin = clientOf(await sign('plants:read plants:create plants:admin'));
  await unwrap(creator.createPlant({ body: { id: 10, name: 'Fern', tag: 'bob' } }));
  const list = (_: unknown, index: number) =>
    unwrap((index % 2 === 0 ? creator : admin).listPlants({ query: { tag: 'bob' } }));
  const pages = await Promise.all(Array.from({ length: 20 }, list));
  const seen = pages.map(({ plants }) => plants[0]?.addedBy);
  expect(seen).toEqual(pages.map((_, index) => (index % 2 === 0 ? undefined : 'subject bob')));
});
