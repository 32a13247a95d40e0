import { errors } from '@plant-store/contract/errors';
import { MutationObserver, onlineManager, QueryClient } from '@tanstack/query-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, createClientOf } from './create-client.js';
import type { ClientOptions } from './options.js';
import { createTanstackQueryUtils } from './tanstack-query.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa' };

function open(options: Partial<ClientOptions> = {}) {
  const store = createFakePlantStore();
  const { baseUrl, token, fetch } = store;
  const client = createClient({ baseUrl, token, fetch, ...options });
  // Defaults that would retry, and so would hide the error for a while.
  const queryClient = new QueryClient({ defaultOptions: { mutations: { retry: 3, retryDelay: 3_600_000 } } });
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
      countPlants: { method: 'GET', path: '/count', statuses: [200] },
      removePlant: { method: 'DELETE', path: '/plants/:id', statuses: [200] },
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
  it('read a plant, under a key that begins with the name of the operation', async () => {
    const { store, queryClient, plantStore } = open();
    await queryClient
      .fetchQuery({ ...plantStore.getPlant.queryOptions({ params: { id: 7n } }) })
      .catch(() => undefined);
    const observer = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
    await observer.mutate({ body });
    const options = plantStore.getPlant.queryOptions({ params: { id: body.id } });
    expect(options.queryKey).toEqual(['plant-store', 'getPlant', '{"params":{"id":9223372036854775807}}']);
    expect(await queryClient.fetchQuery({ ...options })).toMatchObject(body);
    expect(store.plants.size).toBe(1);
    expect(queryClient.getQueryCache().findAll({ queryKey: ['plant-store', 'getPlant'] })).toHaveLength(2);
  });

  it('end with a rejection, which is not retried', async () => {
    const { queryClient, plantStore } = open();
    const options = plantStore.getPlant.queryOptions({ params: { id: 1 } });
    const error = await queryClient.fetchQuery({ ...options }).catch((thrown: unknown) => thrown);
    expect(isRejectedError(error, errors.plant_not_found.error)).toBe(true);
  });

  it('read pages, one after the other', async () => {
    const { queryClient, plantStore } = open();
    const observer = new MutationObserver(queryClient, plantStore.createPlants.mutationOptions());
    await observer.mutate({ body: { plants: [1, 2, 3].map((id) => ({ id, name: 'Fern', tag: 'x' })) } });
    const options = plantStore.listPlants.infiniteQueryOptions({ query: { limit: 2, tag: 'x' } });
    expect(options.queryKey).toEqual([
      'plant-store',
      'listPlants',
      'pages',
      '{"query":{"limit":2,"tag":"x"}}',
    ]);
    const { pages } = await queryClient.fetchInfiniteQuery({ ...options, pages: 5 });
    expect(pages.map(({ plants }) => plants.map(({ id }) => id))).toEqual([[1n, 2n], [3n]]);
  });
});
