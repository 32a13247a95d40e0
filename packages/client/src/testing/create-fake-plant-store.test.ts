import { errors } from '@plant-store/contract';
import { scopes } from '@plant-store/contract/access-token';
import { describe, expect, it } from 'vitest';
import type { Client } from '../client.js';
import { createClient } from '../create-client.js';
import { unwrap } from '../unwrap.js';
import { createFakePlantStore, type FakePlantStore } from './create-fake-plant-store.js';

/** Posts a plant as the client would. */
function post(store: FakePlantStore, plant: object, signal: AbortSignal | null = null, token = store.token) {
  return store.fetch(`${store.baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(plant),
    signal,
  });
}

const fern = { id: 1, name: 'Fern' };

describe('a fake plant store', () => {
  it('shows plants by id in order of creation, and shares none with another store', async () => {
    const store = createFakePlantStore();
    const { plants } = store;
    await post(store, { ...fern, id: 7, tag: 'indoor', height: 3 });
    await post(store, fern);
    expect([...plants]).toEqual([
      [7n, { name: 'Fern', tag: 'indoor' }],
      [1n, { name: 'Fern' }],
    ]);
    expect(createFakePlantStore().plants.size).toBe(0);
  });

  it('shows who added and updated a plant only to tokens with the scope admin, and who changed which token', async () => {
    const store = createFakePlantStore({ scopes });
    const client = createClient(store);
    const { secret } = await unwrap(
      client.createToken({ body: { name: 'shop', scopes: ['create', 'read', 'update'] } }),
    );
    const other = client.withOptions({ token: secret });
    await unwrap(other.createPlant({ body: fern }));
    await unwrap(client.createPlant({ body: { id: 2, name: 'Rose' } }));
    const update = { headers: { 'if-match': '*' }, body: { name: 'Ivy' } };
    await unwrap(client.updatePlant({ params: { id: 1 }, ...update }));
    const readAll = async ({ getPlant, getPlants, listPlants, listChanges }: Client) => {
      const { results } = await unwrap(getPlants({ body: { ids: ['1', '2', '3'] } }));
      const { changes } = await unwrap(listChanges({ query: { after: '0' } }));
      return [
        [await unwrap(getPlant({ params: { id: 1 } }))],
        results.flatMap((result) => (result.status === 200 ? result.plant : [])),
        (await unwrap(listPlants())).plants,
        changes.flatMap(({ plant }) => plant ?? []),
      ].map((plants) => plants.map(({ id, addedBy, changedBy }) => `${id} ${addedBy} ${changedBy}`));
    };
    const [first, second] = ['1 2 1', '2 1 undefined'];
    expect(await readAll(client)).toEqual([[first], [first, second], [first, second], [second, first]]);
    const others = ['1 undefined undefined', '2 undefined undefined'];
    expect(await readAll(other)).toEqual([others.slice(0, 1), others, others, others.toReversed()]);
    const { entries } = await unwrap(client.listAudit());
    expect(entries).toMatchObject([
      { number: 1, by: { id: 1n, name: 'test' }, token: { id: 2n, name: 'shop' } },
    ]);
    store.clear();
    expect(await unwrap(client.listAudit())).toEqual({ entries: [] });
  });

  it('rotates and revokes tokens, has at most 1,000 valid ones, and forgets all but the first on clear', async () => {
    const store = createFakePlantStore({ scopes });
    const client = createClient(store);
    const create = (name: string) => client.createToken({ body: { name, scopes: ['read'] } });
    const rotate = (id: number, overlapSeconds: number) =>
      client.rotateToken({ params: { id }, body: { overlapSeconds } });
    await create('shop');
    const { secret } = await unwrap(rotate(2, 0));
    expect(await unwrap(rotate(3, 60))).not.toMatchObject({ secret });
    expect((await rotate(2, 0)).body).toMatchObject({ error: errors.token_inactive.error });
    const rotated = client.withOptions({ token: secret });
    expect((await rotated.listPlants()).status).toBe(200);
    const { entries } = await unwrap(client.listAudit({ query: { action: 'token_rotated' } }));
    expect(entries).toMatchObject([
      { token: { id: 4n, name: 'shop' }, replaced: { id: 3n, name: 'shop' } },
      { token: { id: 3n }, replaced: { id: 2n } },
    ]);
    for (let valid = 3; valid < 1_000; valid++) await create('another');
    expect((await create('one too many')).body).toMatchObject({ error: errors.invalid_token_request.error });
    await client.revokeToken({ params: { id: 4 } });
    expect((await create('in its place')).status).toBe(200);
    store.clear();
    expect((await rotated.listPlants()).status).toBe(401);
    expect((await unwrap(client.listTokens())).tokens).toHaveLength(1);
  });

  it('forgets plants and faults on clear, and keeps the tokens', async () => {
    const store = createFakePlantStore();
    store.acceptTokens('next');
    await post(store, fern);
    await post(store, { ...fern, id: 2 });
    await store.fetch(`${store.baseUrl}/plants/2`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer next' },
    });
    store.fail({ kind: 'refuse' });
    store.clear();
    expect([store.plants.size, store.faultsLeft, store.token]).toEqual([0, 0, 'next']);
    for (const id of [1, 2]) {
      const reply = await post(store, { id, name: 'Monstera' });
      expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
    }
  });
});

describe('the plants of a store', () => {
  const stored = { id: 2n, idText: '2', name: 'Rose', tag: 'shrub', addedAt: '2026-11-25T10:00:00.000Z' };

  it('exist from the start, as if created, until clear', async () => {
    const store = createFakePlantStore({ plants: [{ id: 9, name: 'Fern' }, stored] });
    const client = createClient(store);
    expect([...store.plants]).toEqual([
      [9n, { name: 'Fern' }],
      [2n, { name: 'Rose', tag: 'shrub' }],
    ]);
    const { body: page } = await client.listPlants();
    expect(page).toMatchObject({ plants: [stored, { id: 9n, idText: '9', addedAt: expect.any(String) }] });
    expect(await client.createPlant({ body: { id: 2, name: 'Rose', tag: 'shrub' } })).toMatchObject({
      replayed: true,
    });
    const { changes, next } = await unwrap(client.listChanges({ query: { after: '0', limit: 1 } }));
    expect(changes).toMatchObject([{ kind: 'created', id: 9n }]);
    const rest = await unwrap(client.listChanges({ query: { after: next } }));
    expect(rest.changes).toMatchObject([{ kind: 'created', plant: stored }]);
    store.clear();
    expect(store.plants.size).toBe(0);
  });

  it('may be a map, which the store copies, also on restore', async () => {
    const { plants } = createFakePlantStore({ plants: [{ idText: '7', name: 'Ivy' }] });
    const store = createFakePlantStore({ plants });
    const backup = new Map(store.plants);
    await post(store, fern);
    expect(plants).toEqual(backup);
    store.restore(store.plants);
    expect(store.plants.size).toBe(2);
    store.restore(backup);
    expect(store.plants).toEqual(backup);
    store.restore([stored]);
    expect([...store.plants.keys()]).toEqual([2n]);
  });

  it('are rejected with the message of the service if one is invalid, and replace nothing', async () => {
    const store = createFakePlantStore({ plants: [stored] });
    const expectError = (plants: unknown, message: string) => {
      expect(() => store.restore(plants as never)).toThrow(new TypeError(message));
      expect(() => createFakePlantStore({ plants: plants as never })).toThrow(message);
    };
    const tag = { id: 3, name: 'Fern', tag: 3 };
    const { message } = (await (await post(store, tag)).json()) as { message: string };
    expectError([fern, tag], `plants[1], with the id 3: ${message}`);
    expectError(new Map([[3n, { name: 'Fern', tag: 3 }]]), `plants[0], with the id 3: ${message}`);
    expectError([{ name: 'Fern' }], 'plants[0]: The plant is not valid: id is required.');
    expectError([null], 'plants[0]: The plant is not valid: it must be a JSON object.');
    const { message: taken } = (await (await post(store, { ...fern, id: 2 })).json()) as { message: string };
    expectError([stored, { ...stored, name: 'Fern' }], `plants[1], with the id 2: ${taken}`);
    expect([...store.plants.keys()]).toEqual([2n]);
    store.restore([stored, stored]);
  });
});

describe('the records of any resource', () => {
  it('exist from the start, and after a restore, like plants', async () => {
    const store = createFakePlantStore({ records: { plant: [fern] } });
    expect(store.records('plant')).toBe(store.plants);
    expect([...store.plants]).toEqual([[1n, { name: 'Fern' }]]);
    store.restore([], { plant: new Map([[7n, { name: 'Ivy' }]]) });
    expect([...store.records('plant')]).toEqual([[7n, { name: 'Ivy' }]]);
    const invalid = { plant: [{ id: 2, name: 'Rose', addedAt: 'today' }] };
    expect(() => store.restore([], invalid)).toThrow(/^plants\[0\], with the id 2: .* addedAt /);
    expect(store.plants.size).toBe(1);
  });
});

it('answers requests in their order, a batch as a whole', async () => {
  const store = createFakePlantStore();
  const client = createClient(store);
  const plants = Array.from({ length: 200 }, (_, index) => ({ id: index + 1, name: 'Fern' }));
  const body = { ids: plants.map(({ id }) => String(id)) };
  const [stored, found, deleted, other] = await Promise.all([
    client.createPlants({ body: { plants } }),
    client.getPlants({ body }),
    client.deletePlants({ body }),
    client.createPlant({ body: { id: 200, name: 'Ivy' } }),
  ]);
  const statusesOf = ({ body }: { body: object }) =>
    new Set((body as { results: { status: number }[] }).results.map(({ status }) => status));
  expect([statusesOf(stored), statusesOf(found), statusesOf(deleted)]).toEqual(
    [200, 200, 204].map((status) => new Set([status])),
  );
  expect(other).toMatchObject({ status: 400, body: { error: errors.id_retired.error } });
});

describe('the base address', () => {
  it.each(['https://example.com', 'https://example.com/api', 'https://EXAMPLE.com/api/'])(
    'may be %s',
    async (baseUrl) => {
      const store = createFakePlantStore({ baseUrl });
      expect(store.baseUrl).toMatch(/^https:\/\/example\.com(\/api)?$/);
      expect((await post(store, fern)).status).toBe(200);
      const reply = await store.fetch(`${store.baseUrl}/plant`, { method: 'POST' });
      expect(await reply.json()).toEqual({ error: 40400, message: 'There is nothing at /plant.' });
    },
  );

  it.each(['http://example.com/plants', 'http://plant-store.test.example.com/plants'])(
    'is the only one: %s is not found, and meets no fault',
    async (url) => {
      const store = createFakePlantStore();
      store.fail({ kind: 'refuse' });
      await expect(store.fetch(url, { method: 'POST' })).rejects.toMatchObject({
        message: 'fetch failed',
        cause: { syscall: 'getaddrinfo', code: 'ENOTFOUND' },
      });
      expect(store.faultsLeft).toBe(1);
    },
  );
});

it("accepts a token in the service's format, or the given tokens", async () => {
  expect(createFakePlantStore().token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
  const store = createFakePlantStore({ token: 'first' });
  const accepted = async () => {
    const statuses = ['first', 'First', 'second', 'third'].map((token) => post(store, fern, null, token));
    return [store.token, ...(await Promise.all(statuses)).map(({ status }) => status)];
  };
  expect(await accepted()).toEqual(['first', 200, 401, 401, 401]);
  store.acceptTokens('second', 'third');
  expect(await accepted()).toEqual(['second', 401, 401, 200, 200]);
});

describe('the signal of a request', () => {
  const reason = new Error('changed my mind');

  it('that is already aborted: nothing is stored, and no fault is used up', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'refuse' });
    await expect(post(store, fern, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([store.plants.size, store.faultsLeft]).toEqual([0, 1]);
  });

  it('that aborts before the request is read: nothing is stored', async () => {
    const store = createFakePlantStore();
    const controller = new AbortController();
    const reply = post(store, fern, controller.signal);
    controller.abort(reason);
    await expect(reply).rejects.toBe(reason);
    await post(store, { ...fern, id: 2 });
    expect([...store.plants.keys()]).toEqual([2n]);
  });

  it('that aborts during a delay: rejects with its reason, and nothing is stored', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'delay', ms: 60_000 });
    await expect(post(store, fern, AbortSignal.timeout(10))).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(store.plants.size).toBe(0);
  });
});

it('a token permits only its scopes', async () => {
  const store = createFakePlantStore({ scopes: ['read'] });
  const client = createClient(store);
  expect(await client.getOwnToken()).toMatchObject({ status: 200, body: { id: 1n, scopes: ['read'] } });
  expect(await client.listPlants()).toMatchObject({ status: 200 });
  const reply = await client.createPlant({ body: { id: 1, name: 'Fern' } });
  expect(reply).toMatchObject({ status: 403, body: { error: errors.insufficient_scope.error } });
  expect(reply.headers.get('www-authenticate')).toContain('scope="create"');
  expect(store.plants.size).toBe(0);
});
