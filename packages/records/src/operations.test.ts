import { hash } from 'node:crypto';
import { INT64_MAX, INT64_MIN, NewPlantSchema, type Plant } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { describe, expect, it } from 'vitest';
import { type Garden, garden, gardens, newGardenSchema } from '../test/garden.js';
import { plants } from '../test/plants.js';
import type { RecordQuery } from './cursor.js';
import { internalError, ServiceError } from './errors.js';
import { createMemoryStore } from './memory-store.js';
import { operationsOf, type Platform, runBatch } from './operations.js';
import type { ListLimits, ListQuery, Store, Stored } from './store.js';

// operation-cases.ts of the contract tests what each operation returns, with the fake of the client and with the service.

const platform = {
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: () => 1_000,
};
const unlimited = { limits: () => ({ bytes: Number.POSITIVE_INFINITY }) };
const open = <Fields extends object>(resource: Resource) =>
  createMemoryStore<Fields>(resource, { now: platform.now, changes: { generation: '0a1b2c3d', number: 0 } });
const [taken, bad] = [{ errorName: 'id_taken' }, { errorName: 'bad_request' }];
const failed = { errorName: 'precondition_failed' };

describe('the operations of gardens', () => {
  const operations = operationsOf<Garden>(garden, newGardenSchema, platform);
  const [orchard, hill, bare] = gardens;
  const addedAt = '1970-01-01T00:00:01.000Z';
  const shown = (id: bigint, fields: Garden) => ({ id, idText: `${id}`, ...fields, addedAt });
  const invalid = { errorName: 'invalid_garden' };
  const notFound = { errorName: 'garden_not_found', message: 'There is no garden 7.' };

  it('are those of plants, with the names and errors of gardens', async () => {
    const store = open<Garden>(garden);
    const { etag } = await operations.create(store, { ...orchard, id: 1n });
    const items = [{ ...orchard, id: 1n }, { ...hill, id: 2n }, { ...bare, id: 1n }, { id: 3n }, null];
    const another = { ...taken, message: expect.stringContaining('Garden 1 already exists') };
    const created = [{ replayed: true, etag }, { replayed: false }, another, invalid, invalid];
    expect(await operations.createMany(store, { items })).toMatchObject(created);
    expect(await operations.get(store, 1n)).toEqual({ status: 200, body: shown(1n, orchard), etag });
    await expect(operations.get(store, 7n)).rejects.toMatchObject(notFound);
    const found = [{ garden: shown(2n, hill) }, notFound, bad];
    expect(await operations.getMany(store, { items: ['2', '7', 'x'] })).toMatchObject(found);
    const updated = await operations.update(store, 1n, bare, { 'if-match': etag });
    expect(updated).toMatchObject({ status: 200, body: shown(1n, bare) });
    const updates = [1n, 2n, 7n].map((id) => ({ ...hill, id, ifMatch: id === 2n ? '"x"' : '*' }));
    const results = [{ garden: shown(1n, hill) }, { garden: shown(2n, hill) }, notFound, invalid];
    expect(await operations.updateMany(store, { items: [...updates, { id: 1n }] })).toMatchObject(results);
    const page = await operations.list(store, { limit: 1 }, unlimited);
    const next = expect.any(String);
    expect(operations.showPage(page, {})).toMatchObject({ gardens: [shown(1n, hill)], next });
    await operations.delete(store, 1n);
    const { changes } = await operations.changes(store, { after: '0' }, unlimited);
    expect(changes).toEqual([
      { kind: 'created', id: 2n, idText: '2', garden: shown(2n, hill), at: addedAt },
      { kind: 'deleted', id: 1n, idText: '1', at: addedAt },
    ]);
    expect(await operations.deleteMany(store, { items: ['2', '7'] })).toMatchObject([
      { status: 204 },
      notFound,
    ]);
    const tooLarge = { errorName: 'batch_too_large', message: expect.stringContaining('gardens') };
    const batch = { items: Array(1_001).fill(null) };
    expect(() => operations.requireBatch(batch)).toThrow(expect.objectContaining(tooLarge));
  });

  it('treat another list as another garden, also after an update', async () => {
    const store = open<Garden>(garden);
    const { etag } = await operations.create(store, { ...orchard, id: 1n });
    const others = [[], [7n], orchard.plantIds.toReversed(), [...orchard.plantIds, 1n]];
    for (const _ of ['before', 'after']) {
      for (const plantIds of others)
        await expect(operations.create(store, { ...orchard, plantIds, id: 1n })).rejects.toMatchObject(taken);
      const replay = await operations.create(store, { ...structuredClone(orchard), id: 1n });
      expect(replay).toMatchObject({ replayed: true, etag });
      await operations.update(store, 1n, hill, { 'if-match': '*' });
    }
  });
});

describe('the operations of plants', () => {
  const operations = operationsOf<Plant>(resources.plant, NewPlantSchema, platform);
  const [first, second, third] = plants;
  const openPlants = () => open<Plant>(resources.plant);
  /** Opens a store with plants that have these ids, and these times. */
  async function openWith(ids: readonly bigint[], fields: Plant = third, addedAt: (number | null)[] = []) {
    const store = openPlants();
    for (const [at, id] of ids.entries()) {
      const { [at]: time } = addedAt;
      await store.create({ ...fields, id, ...(time !== undefined && { addedAt: time }) });
    }
    return store;
  }
  const away = { errorName: 'database_unavailable' };
  const fail = async () => {
    throw new ServiceError('database_unavailable', 'away');
  };

  /** A store that starts the writes that arrive together in reverse order. */
  function reversing(store: Store<Plant>): Pick<Store<Plant>, 'create' | 'change'> {
    const waiting: (() => void)[] = [];
    const wait = () =>
      new Promise<void>((resolve) => {
        if (waiting.length === 0)
          setTimeout(() => {
            for (const start of waiting.splice(0).reverse()) start();
          });
        waiting.push(resolve);
      });
    return {
      create: (record) => wait().then(() => store.create(record)),
      change: (change) => wait().then(() => store.change(change)),
    };
  }

  it('create the first of several records with one id, regardless of the commit order', async () => {
    const store = openPlants();
    const items = [first, second, third, first].map((fields, at) => ({ ...fields, id: at === 1 ? 2n : 1n }));
    const created = await operations.createMany(reversing(store), { items });
    expect(created).toMatchObject([{ replayed: false }, { replayed: false }, taken, { replayed: true }]);
    expect([...store.records]).toEqual([
      [2n, second],
      [1n, first],
    ]);
  });

  it('give all records of a batch with one id the same rejection', async () => {
    const items = [first, first, second].map((fields) => ({ ...fields, id: 1n }));
    expect(await operations.createMany({ create: fail }, { items })).toMatchObject([away, away, away]);
  });

  it('get a record without a time, and with any id', async () => {
    for (const id of [INT64_MIN, INT64_MAX]) {
      const { body } = await operations.get(await openWith([id], third, [null]), id);
      expect(body).toEqual({ ...third, id, idText: `${id}` });
    }
  });

  it('apply several updates of one record in a batch in order, regardless of the commit order', async () => {
    const store = await openWith([1n], first);
    const { etag } = await operations.get(store, 1n);
    const items = [
      { ...second, id: 1n, ifMatch: etag },
      { ...third, id: 1n, ifMatch: etag },
      { ...third, id: 1n, ifMatch: '*' },
    ];
    const results = await operations.updateMany(reversing(store), { items });
    expect(results).toMatchObject([{ plant: second }, failed, { plant: third }]);
    expect([...store.records]).toEqual([[1n, third]]);
  });

  it('update the others of a batch, also after an error of the store for the same id', async () => {
    const store = await openWith([1n], first);
    let isAway = true;
    const change: typeof store.change = (one) => (isAway ? fail() : store.change(one));
    const items = [second, third].map((fields) => ({ ...fields, id: 1n, ifMatch: '*' }));
    const updating = operations.updateMany({ change }, { items });
    queueMicrotask(() => (isAway = false));
    expect(await updating).toMatchObject([away, { plant: third }]);
  });

  it('apply several deletes of one id in a batch in order, regardless of the commit order', async () => {
    const store = await openWith([1n, 2n, 3n]);
    const items = ['1', '2', '3', '2', '1', '3'];
    const ifMatch = ['*', '"x"', '*', 'x', '"x"', '"x"'];
    const deleted = { status: 204 };
    const results = await operations.deleteMany(reversing(store), { items }, ifMatch);
    expect(results).toMatchObject([deleted, failed, deleted, bad, deleted, deleted]);
    expect([...store.records.keys()]).toEqual([2n]);
  });

  /** The ids of each page of a list. */
  async function pagesOf(store: Store<Plant>, query: object, limit: number) {
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await operations.list(store, { ...query, limit, after }, unlimited);
      pages.push(page.records.map(({ id }) => id).join());
      if (page.next === undefined) return pages;
      after = page.next;
    }
  }

  it('list pages by id, or newest first with undated records last', async () => {
    const store = await openWith([0n, 1n, 2n, 3n, 4n, 5n], third, [null, 3, 1, null, 2, 3]);
    expect(await pagesOf(store, {}, 4)).toEqual(['0,1,2,3', '4,5']);
    expect(await pagesOf(store, { order: 'id' }, 6)).toEqual(['0,1,2,3,4,5']);
    const newest = { order: 'newest' };
    expect(await pagesOf(store, newest, 1)).toEqual(['5', '1', '4', '2', '3', '0']);
    for (const [limit, pages] of [
      [3, ['5,1,4', '2,3,0']],
      [4, ['5,1,4,2', '3,0']],
      [5, ['5,1,4,2,3', '0']],
      [6, ['5,1,4,2,3,0']],
    ] as const)
      expect(await pagesOf(store, newest, limit)).toEqual(pages);
    const range = { addedFrom: '1970-01-01T00:00:00.002Z', addedBefore: '1970-01-01T00:00:00.003Z' };
    for (const order of ['id', 'newest']) expect(await pagesOf(store, { ...range, order }, 6)).toEqual(['4']);
  });

  it('look for records without a time only if some may exist', async () => {
    const listed: ListQuery['order'][] = [];
    const list = async ({ order }: ListQuery) => {
      listed.push(order);
      return { records: [], last: undefined };
    };
    const bound = { addedFrom: '2026-11-25T10:00:00Z' };
    for (const query of [{}, { order: 'newest' as const }, { order: 'newest' as const, ...bound }])
      await operations.list({ ...openPlants(), list }, query, unlimited);
    expect(listed).toEqual(['id', 'newest', 'untimed', 'newest']);
  });

  it('list in parts until a page is full, and end early if that takes too long', async () => {
    const store = await openWith([1n, 2n, 3n, 4n]);
    let turns = 0;
    const nextTurn = async () => void turns++;
    /** A store that finds the given number of records in each part. */
    const slow = (perPart: number) => ({
      ...store,
      async list(query: ListQuery, limits: ListLimits) {
        const listed = await store.list(query, { ...limits, matches: 1 });
        const { records, last } = listed;
        return { records: records.slice(0, perPart), last, isLate: last !== undefined, readMs: 10 };
      },
    });
    const { limits } = unlimited;
    const list = (perPart: number, maxMs: number, query: RecordQuery = {}) =>
      operations.list(slow(perPart), query, { limits, nextTurn, maxMs });
    const full = await list(1, 100);
    expect(full).toMatchObject({ next: undefined, readMs: 40 });
    expect([full.records.length, turns]).toEqual([4, 3]);
    // A full page in a list that has more to examine.
    const first = await list(1, 100, { limit: 2 });
    expect(first.records).toMatchObject([{ id: 1n }, { id: 2n }]);
    expect((await list(1, 100, { limit: 3, after: first.next })).records).toMatchObject([
      { id: 3n },
      { id: 4n },
    ]);
    expect(await list(1, 15)).toMatchObject({ records: [{ id: 1n }, { id: 2n }], partial: true });
    const message = expect.stringMatching(
      /^The search took too long and has not found any \w+ yet\. .* with after=1\.\w+\.\d*\.2\.$/,
    );
    await expect(list(0, 15)).rejects.toMatchObject({ ...bad, message });
  });

  it('return how many records match, on request', async () => {
    const store = await openWith([1n, 2n, 3n]);
    expect(await operations.list(store, { limit: 1, total: true }, unlimited)).toMatchObject({ total: 3 });
    const estimate = (count: number, query: RecordQuery) => {
      const estimated = { ...store, countAll: async () => ({ count, isEstimate: true }) };
      return operations.list(estimated, { ...query, total: true }, unlimited);
    };
    expect(await estimate(7, { limit: 1 })).toMatchObject({ total: 7, totalIsEstimate: true });
    // An estimate is at least the known count, and a complete page needs no estimate.
    expect(await estimate(0, { limit: 2 })).toMatchObject({ total: 3, totalIsEstimate: true });
    const whole = await estimate(0, { limit: 3 });
    expect(whole).toMatchObject({ total: 3 });
    expect(whole).not.toHaveProperty('totalIsEstimate');
    expect(await operations.list(store, {}, unlimited)).not.toHaveProperty('total');
  });

  it('list from the start after a position without a time in a list in which all records have one', async () => {
    const store = await openWith([1n, 2n, 3n]);
    const timed = { addedFrom: '1970-01-01T00:00:00Z', order: 'oldest' as const, limit: 1 };
    const { next: early = '' } = await operations.list(store, timed, unlimited);
    const untimed = { ...timed, after: early.replace(/\.\d+\.(?=[^.]+$)/, '..') };
    expect(untimed.after).not.toBe(early);
    const positions: unknown[] = [];
    const list: typeof store.list = (query, limits) => {
      positions.push(query.after);
      return store.list(query, limits);
    };
    expect((await operations.list({ ...store, list }, untimed, unlimited)).records).toHaveLength(1);
    expect(positions).toEqual([undefined]);
  });

  const { entityTagOf, withFields } = operations;
  const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };

  it('give plants a stable identity across databases, exports, and clients of all versions', () => {
    expect(entityTagOf(fern)).toBe('"mYj-AJ63qY8fxjhuanwO6n"');
    expect(entityTagOf({ tag: undefined, name: '🌱 "Rose"' })).toBe('"Ls98N0BYkU-o5JIENbhSxL"');
    const fingerprint = 'bUyT64G1XBMZ1EKtOCs926bJ8JRkgfXiNyInnAAaDNo';
    expect(withFields(fern, { name: 'Ivy' })).toMatchObject({ name: 'Ivy', original: fingerprint });
    expect(withFields({ ...fern, original: 'o' }, { name: 'Ivy' })).toMatchObject({ original: 'o' });
    expect(withFields(fern, { name: 'Fern', tag: 'outdoor' })).toBeUndefined();
  });

  it('give a plant another entity tag for other fields or another time, but not for another original', () => {
    const others = [{ name: 'Ivy' }, { tag: '' }, { tag: undefined }, { addedAt: 6 }, { addedAt: null }];
    const tags = [fern, ...others.map((other) => ({ ...fern, ...other }))].map(entityTagOf);
    expect(new Set(tags).size).toBe(tags.length);
    expect(entityTagOf({ ...fern, original: 'x' } as Stored<Plant>)).toBe(tags[0]);
  });
});

describe('a batch of gets', () => {
  const texts = new Map([1, 2, 3, 4, 5].map((size) => [BigInt(size), 'x'.repeat(size * 2 ** 20)]));
  const bytesOf: Platform<Plant>['bytesOf'] = ({ name }) => name.length;
  const operations = operationsOf<Plant>(resources.plant, NewPlantSchema, { ...platform, bytesOf });
  const find = async (id: bigint) => {
    const name = texts.get(id);
    return name === undefined ? undefined : { id, name };
  };
  const get = (...items: string[]) => operations.getMany({ find }, { items });
  const found = (id: bigint) => ({ status: 200, plant: { id } });
  const [overloaded, unknown] = [{ errorName: 'overloaded' }, { errorName: 'plant_not_found' }];

  it('returns up to 4 MiB of fields, in order', async () => {
    expect(await get('1', '9', '3', '9')).toMatchObject([found(1n), unknown, found(3n), unknown]);
    expect(await get('1', '4', '1', 'x')).toMatchObject([found(1n), overloaded, overloaded, bad]);
  });

  it('returns one record, however large it is', async () => {
    expect(await get('9', '5', '5')).toMatchObject([unknown, found(5n), overloaded]);
  });

  it('looks up at most 64 ids at a time, and none once the reply is full', async () => {
    let [inFlight, most, count] = [0, 0, 0];
    const slow = async (id: bigint) => {
      count++;
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight--;
      return { id, name: texts.get(1n) ?? '' };
    };
    const items = Array.from({ length: 200 }, (_, at) => `${at}`);
    const results = await operations.getMany({ find: slow }, { items });
    expect(results.filter((result) => result.status === 200)).toHaveLength(4);
    expect([most, count]).toEqual([64, 64]);
  });
});

describe('a batch of updates', () => {
  const bytesOf: Platform<Plant>['bytesOf'] = ({ name }) => name.length;
  const operations = operationsOf<Plant>(resources.plant, NewPlantSchema, { ...platform, bytesOf });

  it('does not update records that do not fit into the reply, except the first one', async () => {
    const store = open<Plant>(resources.plant);
    for (const id of [1n, 2n, 3n]) await store.create({ id, name: '' });
    const item = (id: number, mebibytes: number) => ({
      id,
      name: 'x'.repeat(mebibytes * 2 ** 20),
      ifMatch: '*',
    });
    const sizes = async () => {
      const found = await Promise.all([1n, 2n, 3n].map((id) => operations.get(store, id)));
      return found.map(({ body }) => (body?.name.length ?? 0) / 2 ** 20);
    };
    const [updated, overloaded] = [{ status: 200 }, { errorName: 'overloaded' }];
    const some = await operations.updateMany(store, { items: [item(1, 3), item(2, 2), item(3, 1)] });
    expect(some).toMatchObject([updated, overloaded, overloaded]);
    expect(await sizes()).toEqual([3, 0, 0]);
    expect(await operations.updateMany(store, { items: [item(2, 5), item(3, 0)] })).toMatchObject([
      updated,
      overloaded,
    ]);
    expect(await sizes()).toEqual([3, 5, 0]);
  });
});

describe('a batch', () => {
  it('lets other requests run between groups of items, without waiting for them', async () => {
    /** How many items were left, and how many had started, at each turn. */
    const turns: number[][] = [];
    let begun = 0;
    const awaitTurn = async (left: number) => {
      turns.push([left, begun]);
      return Math.min(left, 10);
    };
    const all = Promise.withResolvers<void>();
    const items = Array.from({ length: 25 }, (_, at) => at);
    const results = await runBatch({ items, awaitTurn }, async (item) => {
      if (++begun === 25) all.resolve();
      await all.promise;
      return item;
    });
    expect(results).toEqual(items);
    expect(turns).toEqual([
      [25, 0],
      [15, 10],
      [5, 20],
    ]);
  });

  it('returns the rejection of an item, and for an unknown error an internal error with its cause', async () => {
    const [taken, cause] = [new ServiceError('id_taken', 'taken'), new Error('unknown')];
    const run = async (item: unknown) => {
      if (item instanceof Error) throw item;
      return item;
    };
    const results = await runBatch({ items: [taken, cause, 7] }, run);
    expect(results).toEqual([taken, internalError(cause), 7]);
    expect(results[1]).toMatchObject({ cause, status: 500 });
  });
});
