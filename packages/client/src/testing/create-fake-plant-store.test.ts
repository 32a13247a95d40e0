import { describe, expect, it } from 'vitest';
import { createFakePlantStore, type FakePlantStore } from './create-fake-plant-store.js';

/** Posts a plant as the client would. */
function post(store: FakePlantStore, plant: object, init: RequestInit = {}): Promise<Response> {
  return store.fetch(`${store.baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(plant),
    ...init,
  });
}

const fern = { id: 1, name: 'Fern' };

describe('a fake plant store', () => {
  it('stores plants, and shows them by id in the order in which they came', async () => {
    const store = createFakePlantStore();
    const { plants } = store;
    expect(plants.size).toBe(0);
    await post(store, { ...fern, id: 7, tag: 'indoor', height: 3 });
    await post(store, fern);
    expect([...plants]).toEqual([
      [7n, { name: 'Fern', tag: 'indoor' }],
      [1n, { name: 'Fern' }],
    ]);
  });

  it('shares nothing with another one', async () => {
    const store = createFakePlantStore();
    await post(store, fern);
    expect(createFakePlantStore().plants.size).toBe(0);
  });

  it('forgets plants and faults on clear, and keeps the tokens', async () => {
    const store = createFakePlantStore();
    const { plants } = store;
    store.acceptTokens('next');
    await post(store, fern);
    store.fail({ kind: 'refuse' });
    store.clear();
    expect([plants.size, store.faultsLeft, store.token]).toEqual([0, 0, 'next']);
    const reply = await post(store, { ...fern, name: 'Monstera' });
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

describe('the base address', () => {
  it.each(['https://example.com', 'https://example.com/api', 'https://EXAMPLE.com/api/'])(
    'may be %s',
    async (baseUrl) => {
      const store = createFakePlantStore({ baseUrl });
      expect(store.baseUrl).toMatch(/^https:\/\/example\.com(\/api)?$/);
      expect((await post(store, fern)).status).toBe(200);
      const reply = await store.fetch(`${store.baseUrl}/plant`, { method: 'POST' });
      expect(await reply.json()).toEqual({ error: 40400, message: 'Nothing is served under /plant.' });
    },
  );

  it('must be one', () => {
    expect(() => createFakePlantStore({ baseUrl: '/api' })).toThrow(/^baseUrl must be an absolute http/);
  });

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

describe('the access token', () => {
  const authorized = async (store: FakePlantStore, token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await post(store, fern, { headers })).status;
  };

  it('is one of the form that the service issues, or the one given', async () => {
    expect(createFakePlantStore().token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
    const store = createFakePlantStore({ token: 'secret' });
    expect([store.token, await authorized(store, 'secret')]).toEqual(['secret', 200]);
    expect(await authorized(store, 'Secret')).toBe(401);
  });

  it('may change, and be one of several', async () => {
    const store = createFakePlantStore({ token: 'first' });
    store.acceptTokens('second', 'third');
    expect(store.token).toBe('second');
    const statuses = ['first', 'second', 'third'].map((token) => authorized(store, token));
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });
});

describe('the signal of a request', () => {
  const reason = new Error('changed my mind');

  it('that has ended already: nothing is stored, no fault is met', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'refuse' });
    await expect(post(store, fern, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect([store.plants.size, store.faultsLeft]).toEqual([0, 1]);
  });

  it('that ends before the request is read: nothing is stored', async () => {
    const store = createFakePlantStore();
    const controller = new AbortController();
    const reply = post(store, fern, { signal: controller.signal });
    controller.abort(reason);
    await expect(reply).rejects.toBe(reason);
    await post(store, { ...fern, id: 2 });
    expect([...store.plants.keys()]).toEqual([2n]);
  });

  it('that ends during a delay: nothing is stored', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'delay', ms: 60_000 });
    const controller = new AbortController();
    const reply = post(store, fern, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(reply).rejects.toBe(reason);
    expect(store.plants.size).toBe(0);
  });

  it('that ends by a time limit: rejects with its reason', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'delay', ms: 60_000 });
    await expect(post(store, fern, { signal: AbortSignal.timeout(10) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('may be of another kind than that of the platform, as in jsdom', async () => {
    const store = createFakePlantStore();
    store.fail({ kind: 'delay', ms: 60_000 });
    const signal = new Proxy(AbortSignal.timeout(10), {
      getPrototypeOf: () => EventTarget.prototype,
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(post(store, fern, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('that ends after the reply changes nothing', async () => {
    const controller = new AbortController();
    const reply = await post(createFakePlantStore(), fern, { signal: controller.signal });
    controller.abort(reason);
    expect(await reply.json()).toEqual({ name: 'Fern' });
  });
});
