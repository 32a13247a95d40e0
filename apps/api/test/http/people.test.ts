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
  const [admin, creator, editor] = [
    await open(isAdmin),
    await open(defaultScopes),
    await open(defaultScopes),
  ];
  const jwt = clientOf(await provider.sign({ sub: 'anna', scope: 'plants:create plants:read' }));
  const { next } = await unwrap(admin.client.listChanges());
  for (const id of [1, 2, 3])
    await unwrap(creator.client.createPlant({ body: { id, name: `plant ${id}`, tag: 'indoor' } }));
  await unwrap(jwt.createPlant({ body: { id: 4, name: 'plant 4', tag: 'indoor' } }));
  await unwrap(creator.client.deletePlant({ params: { id: 3 } }));
  const ifAny = { 'if-match': '*' };
  await unwrap(
    editor.client.updatePlant({ params: { id: 2 }, headers: ifAny, body: { name: 'new', tag: 'indoor' } }),
  );
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
  expect(
    Object.fromEntries(Object.entries(seen).map(([name, plants]) => [name, pick(plants as never)])),
  ).toEqual({
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
  const etags = await Promise.all(
    [admin, creator].map(async ({ client }) => (await client.getPlant({ params: { id: 2 } })).etag),
  );
  expect(etags[0]).toBe(etags[1]);
  const etag = String(etags[0]);
  for (const { client } of [admin, creator])
    expect((await client.getPlant({ params: { id: 2 }, headers: { 'if-none-match': etag } })).status).toBe(
      304,
    );
});

it('two JSON Web Tokens of one subject, of which one has the scope admin, do not share a list', async () => {
  const sign = (scope: string) => provider.sign({ sub: 'bob', scope });
  const clients = [
    clientOf(await sign('plants:read plants:create')),
    clientOf(await sign('plants:read plants:create plants:admin')),
  ];
  await unwrap(
    (clients[0] as (typeof clients)[0]).createPlant({ body: { id: 10, name: 'Fern', tag: 'bob' } }),
  );
  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      unwrap((clients[index % 2] as (typeof clients)[0]).listPlants({ query: { tag: 'bob' } })),
    ),
  );
  const seen = pages.map(({ plants }) => plants[0]?.addedBy);
  expect(seen).toEqual(pages.map((_, index) => (index % 2 === 0 ? undefined : 'subject bob')));
});
