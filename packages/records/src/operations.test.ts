import { hash } from 'node:crypto';
import { INT64_MAX, INT64_MIN, NewPlantSchema, type Plant } from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import { messagesOf } from '@plant-store/contract/messages';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { describe, expect, it } from 'vitest';
import type { Samples } from '../test/conformance/index.js';
import { type Garden, garden, gardens, newGardenSchema } from '../test/garden.js';
import { plants } from '../test/plants.js';
import type { RecordQuery } from './cursor.js';
import { internalError, ServiceError } from './errors.js';
import { createMemoryStore } from './memory-store.js';
import { operationsOf, type Platform, runBatch } from './operations.js';
import type { ListLimits, ListQuery, Store, Stored } from './store.js';

const platform = {
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: () => 1_000,
};
const unlimited = { limits: () => ({ bytes: Number.POSITIVE_INFINITY }) };

describe('the operations of plants', () =>
  describeOperations<Plant>(
    resources.plant,
    plants,
    operationsOf<Plant>(resources.plant, NewPlantSchema, platform),
  ));
describe('the operations of gardens', () =>
  describeOperations<Garden>(garden, gardens, operationsOf<Garden>(garden, newGardenSchema, platform)));

/** The tests of the operations of every resource. */
function describeOperations<Fields extends object>(
  resource: Resource,
  samples: Samples<Fields>,
  operations: ReturnType<typeof operationsOf<Fields>>,
) {
  const [first, second, third] = samples;
  const invalid = { errorName: `invalid_${resource.name}` };
  const notFound = { errorName: `${resource.name}_not_found` };
  const [taken, retired] = [{ errorName: 'id_taken' }, { errorName: 'id_retired' }];
  const failed = { errorName: 'precondition_failed' };
  const shown = (id: bigint, fields: Fields, addedAt = platform.now()) => ({
    id,
    idText: `${id}`,
    ...fields,
    addedAt: new Date(addedAt).toISOString(),
  });
  const open = () => {
    const changes = { generation: '0a1b2c3d', number: 0 };
    const store = createMemoryStore<Fields>(resource, { now: platform.now, changes });
    return { store, changes };
  };
  /** Opens a store with the first sample as id 1, and returns its ETag. */
  async function openWithOne() {
    const { store } = open();
    const { etag = '' } = await operations.create(store, { ...first, id: 1n });
    return { store, etag };
  }
  const update = (store: Store<Fields>, fields: Fields, conditions: Conditions, id = 1n) =>
    operations.update(store, id, fields, conditions);

  it('create a record, and treat the same one again as a replay with the same ETag', async () => {
    const { store, etag } = await openWithOne();
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const fields of [first, structuredClone(first), { ...first, other: 1 }]) {
      const reply = await operations.create(store, { ...fields, id: 1n });
      expect(reply).toEqual({ status: 200, body: first, replayed: true, etag });
    }
    const reply = await operations.create(store, { ...second, id: 2n });
    expect(reply).toEqual({ status: 200, body: second, replayed: false, etag: expect.any(String) });
    expect([...store.records]).toEqual([
      [1n, first],
      [2n, second],
    ]);
  });

  it('reject another record with a taken id, and any with a retired one', async () => {
    const { store } = await openWithOne();
    for (const other of [second, third]) {
      const create = operations.create(store, { ...other, id: 1n });
      await expect(create).rejects.toMatchObject({
        ...taken,
        message: expect.stringContaining(resource.name),
      });
    }
    await operations.delete(store, 1n);
    await expect(operations.create(store, { ...first, id: 1n })).rejects.toMatchObject(retired);
  });

  it('recognize a repeated create after an update, without reverting the update', async () => {
    const { store, etag } = await openWithOne();
    await update(store, second, { 'if-match': etag });
    const replay = await operations.create(store, { ...structuredClone(first), id: 1n });
    expect(replay).toEqual({ status: 200, body: first, replayed: true, etag });
    await expect(operations.create(store, { ...second, id: 1n })).rejects.toMatchObject(taken);
    expect(await operations.get(store, 1n)).toMatchObject({ body: shown(1n, second) });
  });

  it('create each record of a batch, and treat records with one id as sequential creates', async () => {
    const { store } = open();
    const items = [
      { ...first, id: 1n },
      { ...second, id: 2n },
      { ...third, id: 1n },
      { ...structuredClone(first), id: 1n },
      { id: 3n },
      null,
    ];
    expect(await operations.createMany(store, { items })).toMatchObject([
      { status: 200, replayed: false },
      { status: 200, replayed: false },
      taken,
      { status: 200, replayed: true },
      invalid,
      invalid,
    ]);
    expect([...store.records.keys()]).toEqual([1n, 2n]);
  });

  it('create the first of several records with one id, regardless of the commit order', async () => {
    const { store } = open();
    const inFlight: (() => void)[] = [];
    const reversing: Pick<Store<Fields>, 'create'> = {
      async create(record) {
        if (inFlight.length === 0)
          setImmediate(() => {
            for (const decide of inFlight.reverse()) decide();
          });
        await new Promise<void>((resolve) => inFlight.push(resolve));
        return store.create(record);
      },
    };
    const items = [first, second, third, first].map((fields, at) => ({ ...fields, id: at === 1 ? 2n : 1n }));
    const created = await operations.createMany(reversing, { items });
    expect(created).toMatchObject([{ replayed: false }, { replayed: false }, taken, { replayed: true }]);
    expect([...store.records]).toEqual([
      [2n, second],
      [1n, first],
    ]);
  });

  it('give all records of a batch with one id the same rejection', async () => {
    const { store } = await openWithOne();
    await operations.delete(store, 1n);
    const items = [first, first, second].map((fields) => ({ ...fields, id: 1n }));
    expect(await operations.createMany(store, { items })).toMatchObject([retired, retired, retired]);
    const create = async () => {
      throw new ServiceError('database_unavailable', 'away');
    };
    const away = { errorName: 'database_unavailable' };
    expect(await operations.createMany({ create }, { items })).toMatchObject([away, away, away]);
  });

  it('reject a batch with too many items', async () => {
    const { store } = open();
    const items = Array(1_001).fill(null);
    const tooLarge = { errorName: 'batch_too_large', message: expect.stringContaining(resource.plural) };
    const { createMany, getMany, updateMany, deleteMany } = operations;
    for (const operation of [createMany, getMany, updateMany, deleteMany])
      await expect((async () => operation(store, { items }))()).rejects.toMatchObject(tooLarge);
  });

  it('get a record with its ETag, unless a condition asks for another reply', async () => {
    const { store, etag } = await openWithOne();
    const reply = { status: 200, body: shown(1n, first), etag };
    const unchanged = { status: 304, body: undefined, etag };
    const get = (conditions: Conditions) => operations.get(store, 1n, conditions);
    for (const conditions of [{}, { 'if-match': etag }, { 'if-match': '*' }, { 'if-none-match': '"x"' }])
      expect(await get(conditions)).toEqual(reply);
    for (const tags of [etag, `W/${etag}`, '*'])
      expect(await get({ 'if-none-match': tags })).toEqual(unchanged);
    await expect(get({ 'if-match': '"x"' })).rejects.toMatchObject(failed);
    await expect(get({ 'if-match': 'x' })).rejects.toMatchObject({ errorName: 'bad_request' });
    await expect(operations.get(store, 2n)).rejects.toMatchObject(notFound);
    await operations.delete(store, 1n);
    await expect(get({})).rejects.toMatchObject(notFound);
  });

  it('get a record without a time, and with any id', async () => {
    const { store } = open();
    for (const id of [INT64_MIN, INT64_MAX]) {
      await store.create({ ...third, id, addedAt: null });
      const { body } = await operations.get(store, id);
      expect(body).toEqual({ ...third, id, idText: `${id}` });
    }
  });

  it('get the records of a batch, and report those that do not exist', async () => {
    const { store } = await openWithOne();
    const batch = { items: ['1', '2', 1, '01', '1'] };
    const found = { status: 200, [resource.name]: shown(1n, first) };
    const bad = { errorName: 'bad_request' };
    expect(await operations.getMany(store, batch)).toMatchObject([found, notFound, bad, bad, found]);
  });

  it('return the ETag of each created or read record of a batch, as for a single record', async () => {
    const { store, etag } = await openWithOne();
    const items = [first, second].map((fields, at) => ({ ...fields, id: BigInt(at + 1) }));
    const created = await operations.createMany(store, { items });
    const { etag: other } = await operations.get(store, 2n);
    expect(created).toEqual([
      { status: 200, replayed: true, etag },
      { status: 200, replayed: false, etag: other },
    ]);
    const got = await operations.getMany(store, { items: ['2', '1'] });
    expect(got).toMatchObject([{ etag: other }, { etag }]);
    await update(store, third, { 'if-match': etag });
    const { etag: now } = await operations.get(store, 1n);
    expect(now).not.toBe(etag);
    // A replay has the ETag of the record as it was created.
    expect(await operations.createMany(store, { items })).toMatchObject([{ etag }, { etag: other }]);
    expect(await operations.getMany(store, { items: ['1'] })).toMatchObject([{ etag: now }]);
  });

  it('update a record if the conditions hold, and then have another ETag', async () => {
    const { store, etag } = await openWithOne();
    await expect(update(store, second, {})).rejects.toMatchObject({ errorName: 'precondition_required' });
    await expect(update(store, second, { 'if-match': '"x"' })).rejects.toMatchObject(failed);
    await expect(update(store, second, { 'if-none-match': etag })).rejects.toMatchObject(failed);
    const reply = await update(store, second, { 'if-match': etag });
    expect(reply).toEqual({ status: 200, body: shown(1n, second), etag: expect.any(String) });
    expect(reply.etag).not.toBe(etag);
    await expect(update(store, third, { 'if-match': etag })).rejects.toMatchObject(failed);
    // An earlier attempt has already done this.
    expect(await update(store, second, { 'if-match': etag })).toEqual(reply);
    // The first fields again have the first ETag again.
    expect(await update(store, first, { 'if-match': '*' })).toMatchObject({ etag });
    expect(await update(store, third, { 'if-none-match': '"x"' })).toMatchObject({ body: shown(1n, third) });
    await expect(update(store, second, { 'if-match': '*' }, 2n)).rejects.toMatchObject(notFound);
  });

  it('update each record of a batch on its own condition, like single updates', async () => {
    const { store, etag } = await openWithOne();
    for (const id of [2n, 3n, 4n]) await operations.create(store, { ...first, id });
    await operations.delete(store, 4n);
    const item = (id: bigint, fields: Fields, ifMatch?: unknown) => ({ ...fields, id, ifMatch });
    const items = [
      item(1n, second, etag),
      item(2n, second, '"x"'),
      item(3n, first, '"x"'),
      item(4n, second, '*'),
      item(5n, second, '*'),
      item(2n, second),
      item(2n, second, 'x'),
      item(2n, second, 7),
      { id: 2n, ifMatch: '*' },
      null,
      item(3n, second, '*'),
    ];
    const bad = { errorName: 'bad_request' };
    const results = await operations.updateMany(store, { items });
    const updated = async (id: bigint, fields: Fields) => ({
      status: 200,
      [resource.name]: shown(id, fields),
      etag: (await operations.get(store, id)).etag,
    });
    expect(results).toMatchObject([
      await updated(1n, second),
      failed,
      { ...(await updated(3n, first)), etag },
      notFound,
      notFound,
      { errorName: 'precondition_required' },
      bad,
      bad,
      invalid,
      invalid,
      await updated(3n, second),
    ]);
    expect([...store.records]).toEqual([
      [1n, second],
      [2n, first],
      [3n, second],
    ]);
    // A repeated update is 200 again, with any condition.
    const again = await operations.updateMany(store, { items: [item(1n, second, etag)] });
    expect(again).toEqual([results[0]]);
  });

  /** A store in which each change takes less time than the previous one. */
  function reversing(store: Store<Fields>): Pick<Store<Fields>, 'change'> {
    let ms = 20;
    return {
      async change(change) {
        ms = Math.max(0, ms - 5);
        await new Promise((resolve) => setTimeout(resolve, ms));
        return store.change(change);
      },
    };
  }

  it('apply several updates of one record in a batch in order, regardless of the commit order', async () => {
    const { store, etag } = await openWithOne();
    const items = [
      { ...second, id: 1n, ifMatch: etag },
      { ...third, id: 1n, ifMatch: etag },
      { ...third, id: 1n, ifMatch: '*' },
    ];
    const results = await operations.updateMany(reversing(store), { items });
    expect(results).toMatchObject([
      { [resource.name]: shown(1n, second) },
      failed,
      { [resource.name]: shown(1n, third) },
    ]);
    expect([...store.records]).toEqual([[1n, third]]);
  });

  it('update the others of a batch, also after an error of the store for the same id', async () => {
    const { store } = await openWithOne();
    let isAway = true;
    const change: Store<Fields>['change'] = async (one) => {
      if (isAway) throw new ServiceError('database_unavailable', 'away');
      return store.change(one);
    };
    const items = [second, third].map((fields) => ({ ...fields, id: 1n, ifMatch: '*' }));
    const updating = operations.updateMany({ change }, { items });
    queueMicrotask(() => (isAway = false));
    expect(await updating).toMatchObject([
      { errorName: 'database_unavailable' },
      { [resource.name]: shown(1n, third) },
    ]);
  });

  it('reuse only the id of a deleted record', async () => {
    const { store } = await openWithOne();
    const reuse = { 'if-none-match': '*' };
    const message = messagesOf(resource).exists(1n);
    await expect(update(store, second, reuse)).rejects.toMatchObject({ ...failed, message });
    await expect(update(store, second, reuse, 2n)).rejects.toMatchObject(notFound);
    await operations.delete(store, 1n);
    await expect(update(store, second, { 'if-match': '*' })).rejects.toMatchObject(notFound);
    expect(await update(store, second, reuse)).toMatchObject({ status: 200, body: shown(1n, second) });
    const replay = await operations.create(store, { ...second, id: 1n });
    expect(replay).toMatchObject({ replayed: true });
  });

  it('delete a record if the conditions hold, and accept a second delete', async () => {
    const { store, etag } = await openWithOne();
    await expect(operations.delete(store, 1n, { 'if-match': '"x"' })).rejects.toMatchObject(failed);
    await expect(operations.delete(store, 2n)).rejects.toMatchObject(notFound);
    for (let time = 0; time < 2; time++) {
      const reply = await operations.delete(store, 1n, { 'if-match': etag });
      expect(reply).toEqual({ status: 204, body: undefined });
    }
    expect([...store.records]).toEqual([]);
  });

  it('delete the records of a batch', async () => {
    const { store } = await openWithOne();
    const items = ['1', '2', 'x', '1'];
    const expected = [{ status: 204 }, notFound, { errorName: 'bad_request' }, { status: 204 }];
    expect(await operations.deleteMany(store, { items })).toMatchObject(expected);
  });

  it('delete the records of a batch, each on its own condition', async () => {
    const { store, etag } = await openWithOne();
    for (const id of [2n, 3n]) await operations.create(store, { ...second, id });
    const tags: readonly (readonly [id: string, ifMatch: unknown])[] = [
      ...([
        ['1', etag],
        ['2', '"x"'],
        ['3', '*'],
        ['4', '*'],
        ['2', 'x'],
        ['x', '*'],
      ] as const),
      ...([
        ['1', '"x"'],
        ['3', etag],
      ] as const),
    ];
    const ids = { items: tags.map(([id]) => id) };
    const [deleted, bad] = [{ status: 204 }, { errorName: 'bad_request' }];
    const ifMatch = tags.map(([, tag]) => tag);
    const results = await operations.deleteMany(reversing(store), ids, ifMatch);
    expect(results).toMatchObject([deleted, failed, deleted, notFound, bad, bad, deleted, deleted]);
    expect([...store.records.keys()]).toEqual([2n]);
  });

  /** The ids of each page of a list. */
  async function pagesOf(store: Store<Fields>, query: object, limit: number) {
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await operations.list(store, { ...query, limit, after }, unlimited);
      pages.push(page.records.map(({ id }) => id).join());
      if (page.next === undefined) return pages;
      after = page.next;
    }
  }

  it('list pages by id, or newest first with undated records last', async () => {
    const { store } = open();
    const times = [null, 3, 1, null, 2, 3];
    for (const [id, addedAt] of times.entries()) await store.create({ ...third, id: BigInt(id), addedAt });
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
      await operations.list({ ...open().store, list }, query, unlimited);
    expect(listed).toEqual(['id', 'newest', 'untimed', 'newest']);
  });

  it('list in parts until a page is full, and end early if that takes too long', async () => {
    const { store } = open();
    for (const id of [1n, 2n, 3n, 4n]) await store.create({ ...third, id });
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
    const failed = list(0, 15);
    const message = expect.stringMatching(
      /^The search took too long, and found no \w+ yet\. .* with after=1\.\w+\.\d*\.2\.$/,
    );
    await expect(failed).rejects.toMatchObject({ errorName: 'bad_request', message });
  });

  it('return how many records match, on request', async () => {
    const { store } = open();
    for (const id of [1n, 2n, 3n]) await store.create({ ...third, id });
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

  it('list after a cursor only of the same query', async () => {
    const { store } = open();
    for (const id of [1n, 2n, 3n]) await store.create({ ...third, id });
    const { next = '' } = await operations.list(store, { limit: 1 }, unlimited);
    const bad = { errorName: 'bad_request' };
    for (const query of [{ order: 'newest' as const }, { q: 'a' }])
      await expect(operations.list(store, { ...query, after: next }, unlimited)).rejects.toMatchObject(bad);
    await expect(operations.list(store, { after: 'x' }, unlimited)).rejects.toMatchObject(bad);
    // A position without a time in a list in which all records have one.
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
    const { records } = await operations.list(store, { after: next, limit: 5 }, unlimited);
    expect(records.map(({ id }) => id)).toEqual([2n, 3n]);
  });

  it('follow the changes of records', async () => {
    const { store, etag } = await openWithOne();
    const latest = await operations.latest(store);
    await operations.create(store, { ...second, id: 2n });
    const all = await operations.changes(store, { after: '0' }, unlimited);
    const at = '1970-01-01T00:00:01.000Z';
    const created = (id: bigint, fields: Fields) => ({
      kind: 'created',
      id,
      idText: `${id}`,
      [resource.name]: shown(id, fields),
      at,
    });
    expect(all.changes).toEqual([created(1n, first), created(2n, second)]);
    const page = await operations.changes(store, { after: '0', limit: 1 }, unlimited);
    expect(page).toMatchObject({ changes: [created(1n, first)], next: latest });
    await update(store, third, { 'if-match': etag });
    await operations.delete(store, 2n);
    const later = await operations.changes(store, { after: all.next }, unlimited);
    expect(later.changes).toEqual([
      { ...created(1n, third), kind: 'updated' },
      { kind: 'deleted', id: 2n, idText: '2', at },
    ]);
    const none = await operations.changes(store, { after: later.next }, unlimited);
    expect(none).toMatchObject({ changes: [], next: later.next });
    expect(await operations.latest(store)).toBe(later.next);
  });

  it('reject an invalid cursor of changes, and one from before a restore', async () => {
    const { store, changes } = open();
    await operations.create(store, { ...first, id: 1n });
    const follow = (after: string) => operations.changes(store, { after }, unlimited);
    await expect(follow('x')).rejects.toMatchObject({ errorName: 'bad_request' });
    await expect(follow('2.0a1b2c3d.7.1')).rejects.toMatchObject({ errorName: 'cursor_expired' });
    const latest = await operations.latest(store);
    changes.generation = '0a1b2c3e';
    await expect(follow(latest)).rejects.toMatchObject({ errorName: 'cursor_expired' });
    expect((await follow('0')).changes).toHaveLength(1);
  });
}

describe('plants', () => {
  const { entityTagOf, withFields, ...operations } = operationsOf<Plant, 'plant'>(
    resources.plant,
    NewPlantSchema,
    platform,
  );
  const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };

  it('have a stable identity across databases, exports, and clients of all versions', () => {
    expect(entityTagOf(fern)).toBe('"mYj-AJ63qY8fxjhuanwO6n"');
    expect(entityTagOf({ tag: undefined, name: '🌱 "Rose"' })).toBe('"Ls98N0BYkU-o5JIENbhSxL"');
    const fingerprint = 'bUyT64G1XBMZ1EKtOCs926bJ8JRkgfXiNyInnAAaDNo';
    expect(withFields(fern, { name: 'Ivy' })).toMatchObject({ name: 'Ivy', original: fingerprint });
    expect(withFields({ ...fern, original: 'o' }, { name: 'Ivy' })).toMatchObject({ original: 'o' });
    expect(withFields(fern, { name: 'Fern', tag: 'outdoor' })).toBeUndefined();
  });

  it('have another entity tag for other fields or another time, but not for another original', () => {
    const others = [{ name: 'Ivy' }, { tag: '' }, { tag: undefined }, { addedAt: 6 }, { addedAt: null }];
    const tags = [fern, ...others.map((other) => ({ ...fern, ...other }))].map(entityTagOf);
    expect(new Set(tags).size).toBe(tags.length);
    expect(entityTagOf({ ...fern, original: 'x' } as Stored<Plant>)).toBe(tags[0]);
  });

  it('are counted by the value of a field', async () => {
    const store = createMemoryStore<Plant>(resources.plant, { now: platform.now });
    const tags = ['b', undefined, 'a', 'b', ''];
    for (const [id, tag] of tags.entries()) await store.create({ id: BigInt(id), name: '', tag });
    const count = async (after?: string) => (await operations.count(store, 'tag', { after })).body;
    const pageOf = (...counts: [tag: string, plants: number][]) => ({
      tags: counts.map(([tag, plants]) => ({ tag, plants })),
    });
    expect(await count()).toEqual(pageOf(['', 1], ['a', 1], ['b', 2]));
    expect(await count('2.tags.YQ')).toEqual(pageOf(['b', 2]));
    // A cursor as version 1.4 wrote it.
    await expect(count('1.tags.2')).rejects.toMatchObject({ errorName: 'bad_request' });
  });

  it('are listed by a filter, and after a cursor with that filter', async () => {
    const store = createMemoryStore<Plant>(resources.plant, { now: platform.now });
    const tags = ['a', 'b', 'a', undefined, 'a', ''];
    for (const [id, tag] of tags.entries()) await store.create({ id: BigInt(id), name: `${id}`, tag });
    const list = async (query: {
      tag?: string;
      tags?: string[];
      without?: string;
      q?: string;
      after?: string | undefined;
      limit?: number;
    }) => {
      const { records, next } = await operations.list(store, query, unlimited);
      return { ids: records.map(({ id }) => Number(id)), next };
    };
    expect(await list({ tag: 'a' })).toEqual({ ids: [0, 2, 4], next: undefined });
    expect(await list({ tag: '' })).toEqual({ ids: [5], next: undefined });
    expect(await list({ tag: 'b', tags: ['', 'b'] })).toEqual({ ids: [1, 5], next: undefined });
    expect(await list({ without: 'tag' })).toEqual({ ids: [3], next: undefined });
    expect(await list({ tag: 'b', without: 'tag' })).toEqual({ ids: [1, 3], next: undefined });
    expect(await list({ tag: 'a', q: '4' })).toEqual({ ids: [4], next: undefined });
    const { next } = await list({ tag: 'a', limit: 2 });
    expect(await list({ tag: 'a', after: next })).toEqual({ ids: [4], next: undefined });
    await expect(list({ tag: 'b', after: next })).rejects.toMatchObject({ errorName: 'bad_request' });
  });
});

it('a garden with another list is another garden, also after an update', async () => {
  const operations = operationsOf<Garden>(garden, newGardenSchema, platform);
  const store = createMemoryStore<Garden>(garden, platform);
  const [orchard, hill] = gardens;
  const { etag } = await operations.create(store, { ...orchard, id: 1n });
  const others = [[], [7n], orchard.plantIds.toReversed(), [...orchard.plantIds, 1n]];
  const expectTaken = async () => {
    for (const plantIds of others)
      await expect(operations.create(store, { ...orchard, plantIds, id: 1n })).rejects.toMatchObject({
        errorName: 'id_taken',
      });
    const replay = await operations.create(store, { ...orchard, plantIds: [...orchard.plantIds], id: 1n });
    expect(replay).toMatchObject({ replayed: true, etag });
  };
  await expectTaken();
  await operations.update(store, 1n, hill, { 'if-match': etag });
  await expectTaken();
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
    const bad = { errorName: 'bad_request' };
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
    const store = createMemoryStore<Plant>(resources.plant, { now: platform.now });
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
