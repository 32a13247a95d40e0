import { errors } from '@plant-store/contract/errors';
import {
  dehydrate,
  hashKey,
  hydrate,
  InfiniteQueryObserver,
  MutationObserver,
  onlineManager,
  QueriesObserver,
  QueryClient,
  QueryObserver,
  skipToken,
} from '@tanstack/query-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, createClientOf } from './create-client.js';
import type { ClientOptions } from './options.js';
import { createTanstackQueryUtils, deserialize, serialize } from './tanstack-query.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa' };

function open(options: Partial<ClientOptions> = {}) {
  const store = createFakePlantStore();
  const { baseUrl, token, fetch } = store;
  const client = createClient({ baseUrl, token, fetch, ...options });
  // Defaults that would retry, and so would hide the error for a while.
  const retries = { retry: 3, retryDelay: 3_600_000 };
  const queryClient = new QueryClient({ defaultOptions: { queries: retries, mutations: retries } });
  return { store, queryClient, plantStore: createTanstackQueryUtils(client) };
}

afterEach(() => onlineManager.setOnline(true));

describe('the options of a mutation', () => {
  it('store a plant, whose reply is the data', async () => {
    const { store, queryClient, plantStore } = open();
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    await observer.mutate({ body });
    expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: { name: body.name } });
    expect([...store.plants]).toEqual([[body.id, { name: body.name }]]);
  });

  it('make of a reply what is selected of it', async () => {
    const { queryClient, plantStore } = open();
    const options = plantStore.createPlant.mutationOptions({
      select: ({ body, replayed }) => ({ ...body, replayed }),
    });
    const observer = new MutationObserver(queryClient, options);
    expect(await observer.mutate({ body })).toEqual({ name: body.name, replayed: false });
    expect(await observer.mutate({ body })).toEqual({ name: body.name, replayed: true });
  });

  it('end with the rejection of the service, also where a reply is selected from', async () => {
    const { queryClient, plantStore } = open();
    const { createPlant } = plantStore;
    const observer = new MutationObserver(queryClient, createPlant.mutationOptions());
    const selecting = new MutationObserver(queryClient, createPlant.mutationOptions({ select: () => null }));
    await observer.mutate({ body });
    for (const each of [observer, selecting]) {
      await expect(each.mutate({ body: { ...body, name: 'Another' } })).rejects.toMatchObject({
        status: 400,
      });
      const { status, error } = each.getCurrentResult();
      expect([status, isRejectedError(error, errors.id_taken.error)]).toEqual(['error', true]);
    }
  });

  it('never retry, since the client has', async () => {
    const { store, queryClient, plantStore } = open({ retries: 1 });
    store.fail({ kind: 'drop' }, { kind: 'drop' });
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    await expect(observer.mutate({ body })).rejects.toMatchObject({ name: 'NetworkError' });
    expect(observer.getCurrentResult().failureCount).toBe(1);
    expect([store.faultsLeft, store.plants.size]).toEqual([0, 0]);
  });

  it('take the options of a call, such as its signal', async () => {
    const { store, queryClient, plantStore } = open();
    const reason = new Error('Left the page');
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    const control = new AbortController();
    store.fail({ kind: 'delay', ms: 3_600_000 });
    const result = observer.mutate({ body, signal: control.signal });
    control.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  it('wait offline, and are resumed once online', async () => {
    const { store, queryClient, plantStore } = open();
    onlineManager.setOnline(false);
    queryClient.mount();
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    const result = observer.mutate({ body });
    await vi.waitFor(() => expect(observer.getCurrentResult().isPaused).toBe(true));
    expect(store.plants.size).toBe(0);
    onlineManager.setOnline(true);
    expect(await result).toEqual({ name: body.name });
    queryClient.unmount();
  });

  it('have a key by which the mutations of an operation are found', () => {
    const { queryClient, plantStore } = open();
    const { mutationKey } = plantStore.createPlant.mutationOptions();
    expect(mutationKey).toEqual(['plant-store', 'createPlant']);
    expect(queryClient.isMutating({ mutationKey })).toBe(0);
  });
});

it('has the operations of any client', async () => {
  interface Operations {
    countPlants: { responses: { 200: { count: number } } };
    removePlant: { params: { id: bigint }; responses: { 200: Record<string, never> } };
  }
  const client = createClientOf<Operations>(
    {
      countPlants: { method: 'GET', path: '/count', statuses: [200], idempotent: true },
      removePlant: { method: 'DELETE', path: '/plants/:id', statuses: [200], idempotent: true },
    },
    {
      baseUrl: 'http://plant-store.test',
      token: 'pst_example',
      fetch: async (url) => Response.json(url.endsWith('/count') ? { count: 3 } : {}),
    },
  );
  const utils = createTanstackQueryUtils(client);
  const queryClient = new QueryClient();
  const count = new MutationObserver(queryClient, utils.countPlants.mutationOptions());
  expect(await count.mutate(undefined)).toEqual({ count: 3 });
  const remove = new MutationObserver(queryClient, utils.removePlant.mutationOptions());
  expect(await remove.mutate({ params: { id: 1n } })).toEqual({});
});

describe('the options of a query', () => {
  it('read a plant', async () => {
    const { store, queryClient, plantStore } = open();
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    await observer.mutate({ body });
    const options = plantStore.getPlant.queryOptions({ params: { id: body.id } });
    expect(await queryClient.fetchQuery(options)).toMatchObject(body);
    expect(queryClient.getQueryData(options.queryKey)?.id).toBe(body.id);
    expect(store.plants.size).toBe(1);
  });

  it('read pages, one after the other', async () => {
    const { queryClient, plantStore } = open();
    const observer = new MutationObserver(queryClient, plantStore.createPlants.mutationOptions());
    await observer.mutate({ body: { plants: [1, 2, 3].map((id) => ({ id, name: 'Fern', tag: 'x' })) } });
    const options = plantStore.listPlants.infiniteQueryOptions({ query: { limit: 2, tag: 'x' } });
    const { pages } = await queryClient.fetchInfiniteQuery({ ...options, pages: 5 });
    expect(pages.map(({ plants }) => plants.map(({ id }) => id))).toEqual([[1n, 2n], [3n]]);
    expect(queryClient.getQueryData(options.queryKey)?.pages).toBe(pages);
  });

  it.each([
    [() => open().plantStore.getPlant.queryOptions({ params: { id: 2 ** 60 } })],
    [() => open().plantStore.getPlant.queryKey({ params: { id: 2 ** 60 } })],
  ])('are not made for an id that may have been rounded', (make) => {
    expect(make).toThrow(RangeError);
  });
});

describe('no query is retried, since the client has, whatever the QueryClient does by default:', () => {
  it.each(['query', 'queries', 'suspending query', 'infinite query', 'fetch', 'infinite fetch'])(
    '%s',
    async (kind) => {
      const { store, queryClient, plantStore } = open({ retries: 1 });
      const drop = { kind: 'drop' } as const;
      store.fail(drop, drop, drop, drop);
      const options = plantStore.listPlants.queryOptions();
      const pages = plantStore.listPlants.infiniteQueryOptions();
      const start = {
        query: () => new QueryObserver(queryClient, options).subscribe(() => undefined),
        queries: () => new QueriesObserver(queryClient, [options]).subscribe(() => undefined),
        'suspending query': () =>
          new QueryObserver(queryClient, options).fetchOptimistic(options).catch(() => undefined),
        'infinite query': () => new InfiniteQueryObserver(queryClient, pages).subscribe(() => undefined),
        fetch: () => queryClient.fetchQuery(options).catch(() => undefined),
        'infinite fetch': () => queryClient.fetchInfiniteQuery(pages).catch(() => undefined),
      };
      start[kind as keyof typeof start]();
      const [query] = queryClient.getQueryCache().getAll();
      await vi.waitFor(() => expect(query?.state.status).toBe('error'));
      expect(query?.state).toMatchObject({ fetchFailureCount: 1, error: { name: 'NetworkError' } });
      expect(store.faultsLeft).toBe(2);
      queryClient.clear();
    },
  );

  it('a rejection', async () => {
    const { queryClient, plantStore } = open();
    const options = plantStore.getPlant.queryOptions({ params: { id: 1 } });
    const error = await queryClient.fetchQuery(options).catch((thrown: unknown) => thrown);
    expect(isRejectedError(error, errors.plant_not_found.error)).toBe(true);
  });
});

describe('the key of a query', () => {
  const { getPlant, listPlants } = open().plantStore;
  const query = { limit: 2, tag: 'x' };

  it('is plain JSON, without the options of the call', () => {
    const key = getPlant.queryKey({ params: { id: body.id }, timeoutMs: 1_000 });
    expect(key).toEqual(['plant-store', 'getPlant', { params: { id: '9223372036854775807' } }]);
    expect(key).toEqual(getPlant.queryOptions({ params: { id: body.id } }).queryKey);
    expect(JSON.parse(JSON.stringify(key))).toEqual(key);
  });

  it.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      'the order of members',
      listPlants.queryKey({ query }),
      listPlants.queryKey({ query: { tag: 'x', limit: 2 } }),
    ],
    [
      'the type of an id',
      getPlant.queryKey({ params: { id: 1 } }),
      getPlant.queryKey({ params: { id: 1n } }),
    ],
    [
      'undefined members',
      listPlants.queryKey({ query: { ...query, after: undefined, q: undefined } }),
      listPlants.queryKey({ query }),
    ],
    ['an empty query', listPlants.queryKey({ query: {} }), listPlants.queryKey()],
    ['a query without members', listPlants.queryKey({ query: { tag: undefined } }), listPlants.queryKey({})],
    [
      'the order of members, for pages',
      listPlants.infiniteQueryKey({ query }),
      listPlants.infiniteQueryOptions({ query: { tag: 'x', limit: 2 } }).queryKey,
    ],
    ['an empty query, for pages', listPlants.infiniteQueryKey({ query: {} }), listPlants.infiniteQueryKey()],
  ])('does not depend on %s', (_, one, other) => {
    expect(hashKey(one)).toBe(hashKey(other));
  });

  it('depends on everything else', () => {
    const keys = [
      listPlants.queryKey(),
      listPlants.queryKey({ query }),
      listPlants.queryKey({ query: { ...query, limit: 3 } }),
      listPlants.queryKey({ query: { ...query, q: 'x' } }),
      listPlants.infiniteQueryKey(),
      listPlants.infiniteQueryKey({ query }),
      listPlants.queryOptions(skipToken).queryKey,
      listPlants.infiniteQueryOptions(skipToken).queryKey,
      getPlant.queryKey(),
      getPlant.queryKey({ params: { id: 9007199254740993n } }),
      getPlant.queryKey({ params: { id: 9007199254740992n } }),
    ];
    expect(new Set(keys.map(hashKey)).size).toBe(keys.length);
  });

  it('finds queries: all of an operation, those of a part of a request, or those of pages', () => {
    const { queryClient } = open();
    queryClient.getQueryCache().build(queryClient, getPlant.queryOptions({ params: { id: 1n } }));
    const [all, x, ferns] = [{}, { query }, { query: { q: 'fern' } }];
    for (const request of [all, x, ferns]) {
      queryClient.setQueryData(listPlants.queryKey(request), { plants: [] });
      queryClient.setQueryData(listPlants.infiniteQueryKey(request), { pages: [], pageParams: [] });
    }
    const found = (queryKey: readonly unknown[]) =>
      queryClient
        .getQueryCache()
        .findAll({ queryKey })
        .map((each) => each.queryKey);
    expect(found(listPlants.queryKey())).toHaveLength(6);
    expect(found(listPlants.queryKey({ query: { tag: 'x' } }))).toEqual([
      listPlants.queryKey(x),
      listPlants.infiniteQueryKey(x),
    ]);
    expect(found(listPlants.infiniteQueryKey())).toEqual(
      [all, x, ferns].map((request) => listPlants.infiniteQueryKey(request)),
    );
    expect(listPlants.queryKey()).toEqual(['plant-store', 'listPlants']);
  });
});

describe('skipToken in place of a request', () => {
  it('skips the query until there is a request', async () => {
    const { store, queryClient, plantStore } = open();
    await new MutationObserver(queryClient, plantStore.createPlant.mutationOptions()).mutate({ body });
    const optionsFor = (id: bigint | undefined) =>
      plantStore.getPlant.queryOptions(id === undefined ? skipToken : { params: { id } });
    expect(optionsFor(undefined).queryFn).toBe(skipToken);
    const observer = new QueryObserver(queryClient, optionsFor(undefined));
    const unsubscribe = observer.subscribe(() => undefined);
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle' });
    await queryClient.invalidateQueries({ queryKey: plantStore.getPlant.queryKey() });
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle' });
    observer.setOptions(optionsFor(body.id));
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toMatchObject(body));
    expect(store.plants.size).toBe(1);
    unsubscribe();
  });

  it('shows nothing of a query without a request', async () => {
    const { queryClient, plantStore } = open();
    const { listPlants } = plantStore;
    await queryClient.fetchQuery(listPlants.queryOptions());
    await queryClient.fetchInfiniteQuery(listPlants.infiniteQueryOptions());
    const skipped = new QueryObserver(queryClient, listPlants.queryOptions(skipToken));
    expect(skipped.getCurrentResult().data).toBeUndefined();
    const pages = new InfiniteQueryObserver(queryClient, listPlants.infiniteQueryOptions(skipToken));
    expect(pages.getCurrentResult().data).toBeUndefined();
  });
});

describe('a cache that was serialized', () => {
  async function fill() {
    const opened = open();
    const { queryClient, plantStore } = opened;
    await new MutationObserver(queryClient, plantStore.createPlant.mutationOptions()).mutate({ body });
    const one = plantStore.getPlant.queryOptions({ params: { id: body.id } });
    const pages = plantStore.listPlants.infiniteQueryOptions();
    await queryClient.fetchQuery(one);
    await queryClient.fetchInfiniteQuery(pages);
    const expected = [one.queryKey, pages.queryKey].map((key) => queryClient.getQueryData(key));
    const read = (from: QueryClient) => [one.queryKey, pages.queryKey].map((key) => from.getQueryData(key));
    return { ...opened, expected, read };
  }

  it('is the same once it is restored, as a persister does', async () => {
    const { queryClient, expected, read } = await fill();
    const restored = new QueryClient();
    hydrate(restored, deserialize(serialize(dehydrate(queryClient))));
    expect(read(restored)).toStrictEqual(expected);
    expect(expected[0]).toMatchObject({ id: body.id });
  });

  it('is the same once it is hydrated from the JSON of a page', async () => {
    const { queryClient, expected, read } = await fill();
    const state = JSON.stringify(dehydrate(queryClient, { serializeData: serialize }));
    const hydrated = new QueryClient({
      defaultOptions: { hydrate: { deserializeData: deserialize } },
    });
    hydrate(hydrated, JSON.parse(state));
    expect(read(hydrated)).toStrictEqual(expected);
  });

  it('has the mutations that wait offline, which are resumed with the defaults of their key', async () => {
    const { queryClient, plantStore, store } = open();
    const options = plantStore.createPlant.mutationOptions();
    onlineManager.setOnline(false);
    const { signal } = new AbortController();
    new MutationObserver(queryClient, options).mutate({ body, signal });
    await vi.waitFor(() => expect(queryClient.isMutating()).toBe(1));
    const text = serialize(dehydrate(queryClient));
    onlineManager.setOnline(true);
    const restored = new QueryClient();
    restored.setMutationDefaults(options.mutationKey, options);
    hydrate(restored, deserialize(text));
    await restored.resumePausedMutations();
    expect([...store.plants]).toEqual([[body.id, { name: body.name }]]);
  });
});
