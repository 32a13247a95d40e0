import { errors } from '@plant-store/contract/errors';
import {
  dehydrate,
  hashKey,
  hydrate,
  InfiniteQueryObserver,
  type Mutation,
  MutationObserver,
  onlineManager,
  QueriesObserver,
  QueryClient,
  QueryObserver,
  skipToken,
} from '@tanstack/query-core';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from './create-client.js';
import { isEditConflict, startEdit } from './edit.js';
import type { ClientOptions } from './options.js';
import {
  createTanstackQueryUtils,
  deserialize,
  type KeyOwner,
  serialize,
  type TanstackQueryUtils,
} from './tanstack-query.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa' };

function open(options: Partial<ClientOptions> = {}) {
  const store = createFakePlantStore();
  const plantStore = createTanstackQueryUtils(createClient({ ...store, ...options }));
  // Defaults that would retry, and so hide the error for a while.
  const retries = { retry: 3, retryDelay: 3_600_000 };
  const queryClient = new QueryClient({ defaultOptions: { queries: retries, mutations: retries } });
  const creator = new MutationObserver(queryClient, plantStore.createPlant.mutationOptions());
  return { store, queryClient, plantStore, creator };
}

afterEach(() => onlineManager.setOnline(true));

/** The cache as text while mutations that a function begins wait offline. */
async function serializeOffline(queryClient: QueryClient, begin: () => readonly Promise<unknown>[]) {
  onlineManager.setOnline(false);
  const begun = begin();
  for (const each of begun) each.catch(() => undefined);
  const isWaiting = { predicate: ({ state }: Mutation) => state.isPaused };
  await expect.poll(() => queryClient.getMutationCache().findAll(isWaiting)).toHaveLength(begun.length);
  const text = serialize(dehydrate(queryClient));
  onlineManager.setOnline(true);
  return text;
}

/** Restores a cache, and resumes its mutations with the defaults of a key. */
async function resume(text: string, options: object, mutationKey: readonly unknown[]) {
  const restored = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  restored.setMutationDefaults(mutationKey, options);
  hydrate(restored, deserialize(text));
  await restored.resumePausedMutations();
  return restored;
}

describe('the options of a mutation', () => {
  it('store a plant, and return the reply or a selection of it as data', async () => {
    const { store, queryClient, plantStore, creator } = open();
    await creator.mutate({ body });
    expect(creator.getCurrentResult()).toMatchObject({ status: 'success', data: { name: body.name } });
    expect([...store.plants]).toEqual([[body.id, { name: body.name }]]);
    const options = plantStore.createPlant.mutationOptions({
      select: ({ body, replayed }) => ({ ...body, replayed }),
    });
    const selecting = new MutationObserver(queryClient, options);
    expect(await selecting.mutate({ body })).toEqual({ name: body.name, replayed: true });
  });

  it('fail with the rejection of the service, also with a selection', async () => {
    const { queryClient, plantStore, creator } = open();
    const options = plantStore.createPlant.mutationOptions({ select: () => null });
    await creator.mutate({ body });
    for (const observer of [creator, new MutationObserver(queryClient, options)]) {
      const result = observer.mutate({ body: { ...body, name: 'Another' } });
      await expect(result).rejects.toMatchObject({ status: 400 });
      const { status, error } = observer.getCurrentResult();
      expect([status, isRejectedError(error, errors.id_taken.error)]).toEqual(['error', true]);
    }
  });

  it('never retry, because the client already has', async () => {
    const { store, creator } = open({ retries: 1 });
    store.fail({ kind: 'drop' }, { kind: 'drop' });
    await expect(creator.mutate({ body })).rejects.toMatchObject({ name: 'NetworkError' });
    expect(creator.getCurrentResult().failureCount).toBe(1);
    expect([store.faultsLeft, store.plants.size]).toEqual([0, 0]);
  });

  it('take the options of a call, such as its signal', async () => {
    const { store, creator } = open();
    const reason = new Error('Left the page');
    const control = new AbortController();
    store.fail({ kind: 'delay', ms: 3_600_000 });
    const result = creator.mutate({ body, signal: control.signal });
    control.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});

describe('the mutation of an update', () => {
  const { id } = body;
  const params = { id };

  /** Opens a store with a plant, and a mutation that updates it. */
  async function openUpdate() {
    const { store, queryClient, plantStore, creator } = open();
    await creator.mutate({ body: { ...body, tag: 'indoor' } });
    const client = createClient(store);
    return {
      store,
      queryClient,
      plantStore,
      client,
      edit: startEdit(await client.getPlant({ params })),
      updater: new MutationObserver(queryClient, plantStore.updatePlant.mutationOptions()),
      updateByOthers: () =>
        client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Theirs' } }),
    };
  }

  it('saves an edit, and returns the plant or a selection', async () => {
    const { store, queryClient, plantStore, edit, updater } = await openUpdate();
    expect(await updater.mutate({ edit, changes: { name: 'Fern' } })).toMatchObject({ id, name: 'Fern' });
    expect(store.plants.get(id)).toEqual({ name: 'Fern', tag: 'indoor' });
    const options = plantStore.updatePlant.mutationOptions({ select: startEdit });
    const selecting = new MutationObserver(queryClient, options);
    await expect(selecting.mutate({ edit, changes: { name: 'Ivy' } })).rejects.toMatchObject({ status: 412 });
    const next = startEdit({ plant: edit.plant, etag: '*' });
    expect(await selecting.mutate({ edit: next, changes: {} })).toMatchObject({
      kind: 'edit',
      plant: { id },
    });
  });

  it('accepts a condition for a request without a body, and other headers with similar names', async () => {
    const { store, queryClient, plantStore, updater } = await openUpdate();
    const headers = { 'if-match': '*', 'x-if-match': 'a', 'if-match-x': 'b' };
    // As a program without types can call it.
    await updater.mutate(Object({ params, headers, body: { name: 'Mine' } }));
    const deleter = new MutationObserver(queryClient, plantStore.deletePlant.mutationOptions());
    await expect(deleter.mutate({ params, headers: { 'if-match': '"other"' } })).rejects.toMatchObject({
      status: 412,
    });
    expect(store.plants.get(id)).toEqual({ name: 'Mine' });
  });

  it.each(['if-match', 'If-Match'])('rejects the ETag of a query, and sends nothing: %s', async (header) => {
    const { store, client, edit: seen, updater, updateByOthers } = await openUpdate();
    await updateByOthers();
    const refetched = await client.getPlant({ params });
    const headers = { [header]: refetched.headers.get('etag') ?? '' };
    const bodies = [
      { params, body: { name: 'Mine' } },
      { edit: seen, changes: { name: 'Mine' } },
    ];
    const options = [{ headers }, { ifMatch: refetched }];
    for (const given of options.flatMap((each) => bodies.map((parts) => ({ ...parts, ...each })))) {
      // As a program without types may call it.
      const request = Object(given);
      const error = await updater.mutate(request).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toHaveProperty('message', expect.stringMatching(/startEdit .*when the form opens/));
    }
    const edit = Object({ plant: refetched.body, etag: headers[header] });
    await expect(updater.mutate({ edit, changes: { name: 'Mine' } })).rejects.toThrow(/startEdit/);
    expect(store.plants.get(id)).toEqual({ name: 'Theirs' });
  });

  it("overwrites whatever is there, and restores a deleted plant, with an explicit '*'", async () => {
    const { store, client, updater } = await openUpdate();
    await updater.mutate({ params, headers: { 'if-match': '*' }, body: { name: 'Fern' } });
    expect(store.plants.get(id)).toEqual({ name: 'Fern' });
    await client.deletePlant({ params });
    await updater.mutate({ params, headers: { 'if-none-match': '*' }, body: { name: 'Ivy' } });
    expect(store.plants.get(id)).toEqual({ name: 'Ivy' });
  });

  it('waits offline with its edit, also in a persisted cache, and still detects the conflict', async () => {
    const { store, queryClient, plantStore, edit, updater, updateByOthers } = await openUpdate();
    const changes = { name: 'Mine' };
    const text = await serializeOffline(queryClient, () => [updater.mutate({ edit, changes })]);
    await updateByOthers();
    const options = plantStore.updatePlant.mutationOptions();
    const restored = await resume(text, options, options.mutationKey);
    const [mutation] = restored.getMutationCache().getAll();
    expect(isEditConflict(mutation?.state.error)).toBe(true);
    expect(store.plants.get(id)).toEqual({ name: 'Theirs' });
  });
});

describe('the options of a query', () => {
  it('read a plant', async () => {
    const { queryClient, plantStore, creator } = open();
    await creator.mutate({ body });
    const options = plantStore.getPlant.queryOptions({ params: { id: body.id } });
    expect(await queryClient.fetchQuery(options)).toMatchObject(body);
    expect(queryClient.getQueryData(options.queryKey)?.id).toBe(body.id);
  });

  it('read pages, one after the other, from the start of a request, such as all changes', async () => {
    const { queryClient, plantStore, creator } = open();
    for (const id of [1, 2, 3]) await creator.mutate({ body: { id, name: 'Fern', tag: 'x' } });
    const options = plantStore.listPlants.infiniteQueryOptions({ query: { limit: 2, tag: 'x' } });
    const { pages } = await queryClient.fetchInfiniteQuery({ ...options, pages: 5 });
    expect(pages.map(({ plants }) => plants.map(({ id }) => id))).toEqual([[1n, 2n], [3n]]);
    expect(queryClient.getQueryData(options.queryKey)?.pages).toBe(pages);
    const changes = plantStore.listChanges.infiniteQueryOptions({ query: { limit: 2, after: '0' } });
    const { pages: all } = await queryClient.fetchInfiniteQuery({ ...changes, pages: 2 });
    expect(all.map(({ changes }) => changes.map(({ id }) => id))).toEqual([[1n, 2n], [3n]]);
  });

  it('throw for an id that may have been rounded', () => {
    const { getPlant, getPlants } = open().plantStore;
    const request = { params: { id: 2 ** 60 } };
    expect(() => getPlant.queryOptions(request)).toThrow(RangeError);
    expect(() => getPlant.queryKey(request)).toThrow(RangeError);
    expect(() => getPlants.queryOptions(Object({ body: { ids: [2 ** 60] } }))).toThrow(RangeError);
  });

  type Lists = ReturnType<typeof open>['plantStore']['listPlants'];
  const ignore = () => undefined;

  it.each<[string, (client: QueryClient, lists: Lists) => unknown]>([
    ['one', (client, { queryOptions }) => new QueryObserver(client, queryOptions()).subscribe(ignore)],
    ['some', (client, { queryOptions }) => new QueriesObserver(client, [queryOptions()]).subscribe(ignore)],
    ['fetched', (client, { queryOptions }) => client.fetchQuery(queryOptions()).catch(ignore)],
    [
      'pages',
      (client, { infiniteQueryOptions }) =>
        new InfiniteQueryObserver(client, infiniteQueryOptions()).subscribe(ignore),
    ],
  ])(
    'never retry, because the client already has, whatever the QueryClient does by default: %s',
    async (_, start) => {
      const { store, queryClient, plantStore } = open({ retries: 1 });
      const drop = { kind: 'drop' } as const;
      store.fail(drop, drop, drop, drop);
      start(queryClient, plantStore.listPlants);
      const [query] = queryClient.getQueryCache().getAll();
      await expect.poll(() => query?.state.status).toBe('error');
      expect(query?.state).toMatchObject({ fetchFailureCount: 1, error: { name: 'NetworkError' } });
      expect(store.faultsLeft).toBe(2);
      queryClient.clear();
    },
  );
});

describe('the key of a query', () => {
  const { store, plantStore } = open();
  const { getPlant, getPlants, listPlants } = plantStore;
  const owner = { store: store.baseUrl };
  const { queryKey: keyOf, infiniteQueryKey: pagesOf } = listPlants;
  const query = { limit: 2, tag: 'x' };

  it('is plain JSON, without the options of the call', () => {
    const key = getPlant.queryKey({ params: { id: body.id }, timeoutMs: 1_000 });
    expect(key).toEqual(['plant-store', owner, 'getPlant', { params: { id: '9223372036854775807' } }]);
    expect(key).toEqual(getPlant.queryOptions({ params: { id: body.id } }).queryKey);
    expect(JSON.parse(JSON.stringify(key))).toEqual(key);
    const asked = { query: { limit: '2', tag: 'x' } };
    expect(pagesOf({ query })).toEqual(['plant-store', owner, 'listPlants', asked, 'pages']);
    const ids = getPlants.queryKey({ body: { ids: ['2', '1'] } });
    expect(ids).toEqual(['plant-store', owner, 'getPlants', { body: { ids: ['2', '1'] } }]);
  });

  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['the order of members', keyOf({ query }), keyOf({ query: { tag: 'x', limit: 2 } })],
    [
      'the type of an id',
      getPlant.queryKey({ params: { id: 1 } }),
      getPlant.queryKey({ params: { id: 1n } }),
    ],
    ['undefined members', keyOf({ query: { ...query, after: undefined, q: undefined } }), keyOf({ query })],
    ['an empty query', keyOf({ query: {} }), keyOf()],
    ['a query without members', keyOf({ query: { tag: undefined } }), keyOf({})],
    ['the order of members, for pages', pagesOf({ query }), pagesOf({ query: { tag: 'x', limit: 2 } })],
    ['how it is asked for', pagesOf({ query }), listPlants.infiniteQueryOptions({ query }).queryKey],
    ['an empty query, for pages', pagesOf({ query: {} }), pagesOf()],
    ...Object.entries({
      'the order of members of a body': [
        { tag: 'x', each: { id: 1, name: 'y' } },
        { each: { name: 'y', id: 1 }, tag: 'x' },
      ],
      'the type of an id in a body': [{ ids: [{ id: 1 }, 2] }, { ids: [{ id: 1n }, '2'] }],
      'undefined members of a body': [{ ids: ['1'], tag: undefined }, { ids: ['1'] }],
    }).map(([what, bodies]): [string, readonly unknown[], readonly unknown[]] => {
      const [one = [], other = []] = bodies.map((body) => getPlants.queryKey(Object({ body })));
      return [what, one, other];
    }),
  ])('does not depend on %s', (_, one, other) => {
    expect(hashKey(one)).toBe(hashKey(other));
  });

  it('distinguishes two ids in a program that rounds every bigint for JSON', () => {
    const prototype = BigInt.prototype as { toJSON?: () => number };
    prototype.toJSON = function () {
      return Number(this);
    };
    onTestFinished(() => {
      delete prototype.toJSON;
    });
    const [key, other] = [9007199254740992n, 9007199254740993n].map((id) =>
      hashKey(plantStore.getPlant.queryKey({ params: { id } })),
    );
    expect(key).not.toBe(other);
  });

  it('depends on everything else', () => {
    const keys = [
      ...[{}, { query }, { query: { ...query, limit: 3 } }, { query: { ...query, q: 'x' } }].map(keyOf),
      pagesOf(),
      pagesOf({ query }),
      listPlants.infiniteQueryOptions(skipToken).queryKey,
      listPlants.queryOptions(skipToken).queryKey,
      getPlant.queryKey(),
      getPlant.queryKey({ params: { id: 9007199254740993n } }),
      getPlant.queryKey({ params: { id: 9007199254740992n } }),
      ...[['1'], ['2'], ['1', '2'], ['2', '1']].map((ids) => getPlants.queryKey({ body: { ids } })),
    ];
    expect(new Set(keys.map(hashKey)).size).toBe(keys.length);
  });

  it('finds queries of an operation, with a part of a request, or of pages', () => {
    const { queryClient } = open();
    queryClient.getQueryCache().build(queryClient, getPlant.queryOptions({ params: { id: 1n } }));
    const [all, x, ferns] = [{}, { query }, { query: { q: 'fern' } }];
    for (const request of [all, x, ferns]) {
      queryClient.setQueryData(keyOf(request), { plants: [] });
      queryClient.setQueryData(pagesOf(request), { pages: [], pageParams: [] });
    }
    const cache = queryClient.getQueryCache();
    const found = (key: readonly unknown[]) =>
      cache.findAll({ queryKey: key }).map(({ queryKey }) => queryKey);
    expect(found(keyOf())).toHaveLength(6);
    expect(found(keyOf({ query: { tag: 'x' } }))).toEqual([keyOf(x), pagesOf(x)]);
    expect(found(pagesOf())).toEqual([pagesOf(all), pagesOf(x), pagesOf(ferns)]);
    expect(keyOf()).toEqual(['plant-store', owner, 'listPlants']);
  });
});

describe('the owner in a key', () => {
  const request = { params: { id: 1 } };

  /** Opens options for several stores and users that share one QueryClient, and what each shows of plant 1. */
  async function openAll(...owners: readonly (Partial<KeyOwner> & { readonly at: string })[]) {
    const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    const utils = owners.map(({ at, ...owner }) =>
      createTanstackQueryUtils(
        createClient(createFakePlantStore({ baseUrl: `https://${at}.example` })),
        owner,
      ),
    );
    for (const [index, { createPlant }] of utils.entries()) {
      const creator = new MutationObserver(queryClient, createPlant.mutationOptions());
      await creator.mutate({ body: { id: 1, name: `Plant ${index}` } });
    }
    const show = ({ getPlant }: TanstackQueryUtils) => queryClient.fetchQuery(getPlant.queryOptions(request));
    return {
      queryClient,
      utils,
      show: () => Promise.all(utils.map(async (each) => (await show(each)).name)),
    };
  }

  const north = { at: 'north' };
  const alice = { ...north, user: 'alice' };
  it.each([
    ['stores', [north, { at: 'south' }]],
    ['users of a store', [alice, { ...alice, user: 'bob' }, north]],
    ['the same user in two stores', [alice, { ...alice, at: 'south' }]],
    ['stores that are named', ['first', 'second'].map((store) => ({ ...north, store }))],
  ])('keeps apart: %s', async (_, owners) => {
    const { queryClient, utils, show } = await openAll(...owners);
    expect(await show()).toEqual(owners.map((__, index) => `Plant ${index}`));
    // A filter of one owner does not match the others.
    for (const { getPlant, createPlant } of utils) {
      expect(queryClient.getQueryCache().findAll({ queryKey: getPlant.queryKey() })).toHaveLength(1);
      const { mutationKey } = createPlant.mutationOptions();
      expect(queryClient.getMutationCache().findAll({ mutationKey })).toHaveLength(1);
    }
  });

  it('is the same for a server and a page that give the store the same name, even with different URLs', async () => {
    const { queryClient, utils, show } = await openAll(
      { at: 'internal', store: 'plants', user: 'alice' },
      { at: 'public', store: 'plants', user: 'alice' },
    );
    expect(await show()).toEqual(['Plant 0', 'Plant 0']);
    const keys = utils.map(({ getPlant }) => getPlant.queryKey(request));
    expect(keys[0]).toEqual([
      'plant-store',
      { store: 'plants', user: 'alice' },
      'getPlant',
      { params: { id: '1' } },
    ]);
    queryClient.removeQueries({ queryKey: ['plant-store', { user: 'alice' }] });
    expect(queryClient.getQueryCache().getAll()).toEqual([]);
  });

  it('does not change for a request, and rejects one for another store or user', () => {
    const { getPlant, listPlants } = open().plantStore;
    for (const others of [{ token: 'pst_b' }, { baseUrl: 'https://south.example' }]) {
      // As a program without types may call it.
      const given = Object({ ...request, ...others });
      expect(() => getPlant.queryOptions(given)).toThrow(TypeError);
      expect(() => listPlants.infiniteQueryOptions(given)).toThrow(/withOptions/);
    }
  });

  it('requires a name for a copy of a client, because it has no URL', () => {
    const { store } = open();
    const copy = { ...createClient(store) };
    expect(() => createTanstackQueryUtils(copy)).toThrow(TypeError);
    const { getPlant } = createTanstackQueryUtils(copy, { store: 'copy' });
    expect(getPlant.queryKey(request)[1]).toEqual({ store: 'copy' });
  });
});

describe('skipToken in place of a request', () => {
  it('skips the query until there is a request', async () => {
    const { queryClient, plantStore, creator } = open();
    await creator.mutate({ body });
    const optionsFor = (id: bigint | undefined) =>
      plantStore.getPlant.queryOptions(id === undefined ? skipToken : { params: { id } });
    expect(optionsFor(undefined).queryFn).toBe(skipToken);
    const observer = new QueryObserver(queryClient, optionsFor(undefined));
    const unsubscribe = observer.subscribe(() => undefined);
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle' });
    await queryClient.invalidateQueries({ queryKey: plantStore.getPlant.queryKey() });
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle' });
    observer.setOptions(optionsFor(body.id));
    await expect.poll(() => observer.getCurrentResult().data).toMatchObject(body);
    unsubscribe();
  });
});

describe('a cache that was serialized', () => {
  it('is the same after it is restored by a persister, or hydrated from the JSON of a page', async () => {
    const { queryClient, plantStore, creator } = open();
    await creator.mutate({ body });
    const one = plantStore.getPlant.queryOptions({ params: { id: body.id } });
    const pages = plantStore.listPlants.infiniteQueryOptions();
    await queryClient.fetchQuery(one);
    await queryClient.fetchInfiniteQuery(pages);
    const read = (from: QueryClient) => [one.queryKey, pages.queryKey].map((key) => from.getQueryData(key));
    const expected = read(queryClient);
    expect(expected[0]).toMatchObject({ id: body.id });

    const restored = new QueryClient();
    hydrate(restored, deserialize(serialize(dehydrate(queryClient))));
    expect(read(restored)).toStrictEqual(expected);

    const state = JSON.stringify(dehydrate(queryClient, { serializeData: serialize }));
    const hydrated = new QueryClient({ defaultOptions: { hydrate: { deserializeData: deserialize } } });
    hydrate(hydrated, JSON.parse(state));
    expect(read(hydrated)).toStrictEqual(expected);
  });

  it('contains only the mutations of its user, also after a reload', async () => {
    const { store, queryClient } = open();
    const client = createClient(store);
    const optionsOf = (user?: string) =>
      createTanstackQueryUtils(client, { user }).createPlant.mutationOptions();
    const text = await serializeOffline(queryClient, () =>
      ['alice', 'bob', undefined].map((user, id) =>
        new MutationObserver(queryClient, optionsOf(user)).mutate({ body: { id, name: user ?? 'nobody' } }),
      ),
    );
    for (const [user, names] of [
      [undefined, ['nobody']],
      ['bob', ['nobody', 'bob']],
    ] as const) {
      const options = optionsOf(user);
      await resume(text, options, options.mutationKey);
      expect([...store.plants.values()].map(({ name }) => name)).toEqual(names);
    }
  });
});
