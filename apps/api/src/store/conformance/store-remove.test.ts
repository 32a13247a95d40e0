import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { outageKinds } from '../../../test/support/database/test-database.js';
import {
  highPageLimits,
  storesWithShards,
  usePlantStore,
} from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { orThrow, type Tombstone } from '../store.js';

const stored = { stored: true };
const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });
const retired = (id: bigint) => ({ stored: false, existing: tombstone(id) });
const fern = { id: 1n, name: 'Fern', tag: 'outdoor' };
const rose = { id: 2n, name: 'Rose' };

/** How to make an engine skip removals silently, and how to end it. */
const skipRemovals = {
  sqlite: {
    begin: 'CREATE TRIGGER keep BEFORE DELETE ON plants BEGIN SELECT RAISE(IGNORE); END',
    end: 'DROP TRIGGER keep',
  },
  postgresql: {
    begin: `CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER keep BEFORE UPDATE ON plants FOR EACH ROW EXECUTE FUNCTION keep()`,
    end: 'DROP FUNCTION keep CASCADE',
  },
};

describe.each(storesWithShards())('removing plants on %s', (kind) => {
  const { store, testDatabase, readAll } = usePlantStore(kind);
  const listLimits = { plants: 100, bytes: 1e6, matches: 100 };
  const list = async (order: 'id' | 'newest' | 'untimed') => {
    const { plants } = await store.list({ order }, listLimits);
    return plants.map(({ id }) => id);
  };

  it('erases a plant, whose id stays taken for good', async () => {
    await store.create([fern, rose]);
    expect(await store.remove([1n])).toEqual(['removed']);
    expect(await store.remove([1n])).toEqual(['removed_before']);
    expect(await store.create([fern, rose])).toEqual([
      retired(1n),
      { stored: false, existing: { ...rose, addedAt: expect.any(Number) } },
    ]);
    expect(await store.find([1n])).toEqual([tombstone(1n)]);
    expect(await readAll()).toEqual([tombstone(1n), rose]);
    expect(await testDatabase.query('SELECT name, tag FROM plants WHERE id = 1')).toEqual([
      { name: '', tag: null },
    ]);
  });

  it('leaves an id free that nothing ever had, unless it is to be retired', async () => {
    await store.create([fern]);
    expect(await store.remove([3n, 1n])).toEqual(['unknown', 'removed']);
    expect(await readAll()).toEqual([tombstone(1n)]);
    expect(await store.remove([1n, 3n], true)).toEqual(['removed_before', 'removed']);
    expect(await store.create([{ id: 3n, name: 'late' }, rose])).toEqual([retired(3n), stored]);
    expect(await store.remove([2n, 3n], true)).toEqual(['removed', 'removed_before']);
    expect(await readAll()).toEqual([1n, 2n, 3n].map(tombstone));
    expect(await store.remove([3n])).toEqual(['removed_before']);
  });

  it('resolves one call like a sequence of calls with one id each', async () => {
    await store.create([fern, rose]);
    expect(await store.remove([2n, 3n, 1n, 2n, 3n, 1n])).toEqual([
      ...['removed', 'unknown', 'removed', 'removed_before', 'unknown', 'removed_before'],
    ]);
    expect(await store.remove([4n, 3n, 1n, 4n], true)).toEqual([
      ...['removed', 'removed', 'removed_before', 'removed_before'],
    ]);
  });

  it('removes as many plants as a batch may have', async () => {
    const plants = plantsOf(...Array.from({ length: 1_000 }, (_, id) => id));
    const ids = plants.map(({ id }) => id);
    await store.create(plants.slice(0, 700));
    expect(await store.remove(ids)).toEqual(ids.map((_, at) => (at < 700 ? 'removed' : 'unknown')));
    expect(await store.remove(ids, true)).toEqual(
      ids.map((_, at) => (at < 700 ? 'removed_before' : 'removed')),
    );
    expect(await readAll()).toEqual(ids.map(tombstone));
  });

  it('removes nothing when given no ids', async () => {
    await store.create([rose]);
    for (const retire of [false, true]) expect(await store.remove([], retire)).toEqual([]);
    expect(await readAll()).toEqual([rose]);
  });

  it('leaves tombstones in no list', async () => {
    await store.create([
      fern,
      rose,
      { id: 3n, name: 'old', addedAt: null },
      { id: 4n, name: 'Ivy', addedAt: null },
    ]);
    await store.remove([1n, 3n, 5n], true);
    expect(await list('id')).toEqual([2n, 4n]);
    expect(await list('newest')).toEqual([2n]);
    expect(await list('untimed')).toEqual([4n]);
    const { plants } = await store.list({ order: 'id', q: '' }, listLimits);
    expect(plants.map(({ id }) => id)).toEqual([2n, 4n]);
    // They do not count as plants that match.
    const first = await store.list({ order: 'id', q: '' }, { ...listLimits, matches: 1 });
    expect(first).toMatchObject({ plants: [{ id: 2n }], last: { id: 2n } });
  });

  it('leaves tombstones in pages that are read one after the other', async () => {
    await store.create([fern, rose]);
    await store.remove([2n, 3n, 4n], true);
    const pages = await collect(store.read(1n, { ...highPageLimits, plants: 1 }));
    expect(pages.flat()).toEqual([2n, 3n, 4n].map(tombstone));
  });

  it.each([false, true])(
    'ends in one of the two orders when a plant with its id is created at the same time (retire: %s)',
    async (retire) => {
      const plants = plantsOf(...Array.from({ length: 200 }, (_, id) => id));
      const outcomes = await Promise.all(
        plants.map(async (plant) => {
          const [[created], [removed]] = await Promise.all([
            store.create([plant]),
            store.remove([plant.id], retire),
          ]);
          return { plant, created, removed };
        }),
      );
      for (const { plant, created, removed } of outcomes) {
        if (retire) {
          expect(removed).toBe('removed');
          expect([stored, retired(plant.id)]).toContainEqual(created);
        } else {
          expect(created).toEqual(stored);
          expect(['removed', 'unknown']).toContain(removed);
        }
      }
      expect(await readAll()).toEqual(
        outcomes.map(({ plant, removed }) => (removed === 'removed' ? tombstone(plant.id) : plant)),
      );
    },
  );

  it('removes a plant once out of many concurrent calls', async () => {
    const ids = Array.from({ length: 50 }, (_, id) => BigInt(id));
    await store.create(plantsOf(...ids));
    const calls = Array.from({ length: 20 }, (_, call) =>
      store.remove(call % 2 === 0 ? ids : ids.toReversed(), call % 3 === 0),
    );
    const outcomes = (await Promise.all(calls)).flat().map(orThrow);
    expect(outcomes.filter((outcome) => outcome === 'removed')).toHaveLength(ids.length);
    expect(outcomes).not.toContain('unknown');
    expect(await readAll()).toEqual(ids.map(tombstone));
  });

  // A distributed table can have no such trigger.
  it.runIf(kind !== 'citus').each([false, true])(
    'never reports a removal that the database silently skips (retire: %s)',
    async (retire) => {
      await store.create([fern, rose]);
      const { begin, end } = skipRemovals[kind === 'sqlite' ? 'sqlite' : 'postgresql'];
      await testDatabase.query(begin);
      try {
        // A distributed database returns an error for each.
        const removed = store.remove([2n, 1n], retire).then((outcomes) => outcomes.map(orThrow));
        const reason = await removed.catch((error: Error) => error.cause ?? error);
        expect(String(reason)).toMatch(/The record [12] was not removed/);
        expect(await readAll()).toEqual([fern, rose]);
      } finally {
        await testDatabase.query(end);
      }
      expect(await store.remove([1n], retire)).toEqual(['removed']);
    },
  );

  it.each(outageKinds)(
    'rejects with database_unavailable during an outage, and removes after it (%s)',
    async (outage) => {
      await store.create([fern]);
      const endOutage = await testDatabase.beginOutage(outage);
      const attempts = await Promise.allSettled([store.remove([1n]), store.remove([2n], true)]);
      const unavailable = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
      await endOutage();
      expect(
        attempts.map((attempt) => ('value' in attempt ? attempt.value[0] : attempt.reason)),
      ).toMatchObject([unavailable, unavailable]);
      await expect.poll(() => store.remove([1n]).catch(String)).toEqual(['removed']);
    },
  );
});
