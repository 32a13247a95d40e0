import type { Tombstone } from '@plant-store/records';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { outageKinds } from '../../../test/support/database/test-database.js';
import {
  highPageLimits,
  storesWithShards,
  usePlantStore,
} from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';
import { until } from '../../../test/support/until.js';

const stored = { stored: true, addedAt: expect.any(Number) };
const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });
const retired = (id: bigint) => ({ stored: false, existing: tombstone(id) });
const fern = { id: 1n, name: 'Fern', tag: 'outdoor' };
const rose = { id: 2n, name: 'Rose' };

/** A change that renames the plant with an id. */
const rename = (id: bigint) => ({ id, bytes: 5, replace: () => ({ id, name: 'Other' }) });

/** How to make an engine silently skip changes, and how to undo that. */
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

  it('erases a plant, and never reuses its id', async () => {
    await store.create([fern, rose]);
    expect(await removeFrom(store, [1n])).toEqual(['removed']);
    expect(await removeFrom(store, [1n])).toEqual(['removed_before']);
    const existing = { ...rose, addedAt: expect.any(Number) };
    expect(await store.create([fern, rose])).toEqual([retired(1n), { stored: false, existing }]);
    expect(await store.find([1n])).toEqual([tombstone(1n)]);
    expect(await readAll()).toEqual([tombstone(1n), rose]);
    const texts = await testDatabase.query('SELECT name, tag FROM plants WHERE id = 1');
    expect(texts).toEqual([{ name: '', tag: null }]);
  });

  it('leaves an unused id free, unless asked to retire it', async () => {
    await store.create([fern]);
    expect(await removeFrom(store, [3n, 1n])).toEqual(['unknown', 'removed']);
    expect(await readAll()).toEqual([tombstone(1n)]);
    expect(await removeFrom(store, [1n, 3n], true)).toEqual(['removed_before', 'removed']);
    expect(await store.create([{ id: 3n, name: 'late' }, rose])).toEqual([retired(3n), stored]);
    expect(await removeFrom(store, [2n, 3n], true)).toEqual(['removed', 'removed_before']);
    expect(await readAll()).toEqual([1n, 2n, 3n].map(tombstone));
    expect(await removeFrom(store, [3n])).toEqual(['removed_before']);
  });

  it('treats one call like a sequence of calls with one id each', async () => {
    await store.create([fern, rose]);
    const before = 'removed_before';
    const outcomes = await removeFrom(store, [2n, 3n, 1n, 2n, 3n, 1n]);
    expect(outcomes).toEqual(['removed', 'unknown', 'removed', before, 'unknown', before]);
    expect(await removeFrom(store, [4n, 3n, 1n, 4n], true)).toEqual(['removed', 'removed', before, before]);
  });

  it('removes a full batch of plants', async () => {
    const plants = plantsOf(...Array(1_000).keys());
    const ids = plants.map(({ id }) => id);
    await store.create(plants.slice(0, 700));
    const outcomes = (first: string, others: string) => ids.map((id) => (id < 700 ? first : others));
    expect(await removeFrom(store, ids)).toEqual(outcomes('removed', 'unknown'));
    expect(await removeFrom(store, ids, true)).toEqual(outcomes('removed_before', 'removed'));
    expect(await readAll()).toEqual(ids.map(tombstone));
    for (const retire of [false, true]) expect(await removeFrom(store, [], retire)).toEqual([]);
  });

  it('leaves tombstones in pages that are read one after the other', async () => {
    await store.create([fern, rose]);
    await removeFrom(store, [2n, 3n, 4n], true);
    const pages = await collect(store.read(1n, { ...highPageLimits, records: 1 }));
    expect(pages.flat()).toEqual([2n, 3n, 4n].map(tombstone));
  });

  // A distributed table cannot have this trigger.
  it.runIf(kind !== 'citus')('never reports a change that the database silently skips', async () => {
    await store.create([fern, rose]);
    const { begin, end } = skipRemovals[kind === 'sqlite' ? 'sqlite' : 'postgresql'];
    await testDatabase.query(begin);
    onTestFinished(async () => void (await testDatabase.query(end)));
    const removals = [false, true].map((retire) => () => removeFrom(store, [2n, 1n], retire));
    for (const attempt of [...removals, () => store.change([rename(2n), rename(1n)])])
      await expect(attempt()).rejects.toThrow(/The record [12] was not changed/);
    expect(await readAll()).toEqual([fern, rose]);
  });
});

describe.each(storesWithShards())('an outage of %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind, 3_000);

  it.each(outageKinds)('makes changes unavailable, and plants are removed after it (%s)', async (outage) => {
    await store.create([fern]);
    const endOutage = await testDatabase.beginOutage(outage);
    const remove = async (id: bigint, retire: boolean) => (await removeFrom(store, [id], retire))[0];
    const update = () => store.change([rename(1n)]);
    const attempts = await Promise.allSettled([remove(1n, false), remove(2n, true), update()]);
    await endOutage();
    const reason = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
    expect(attempts).toMatchObject([{ reason }, { reason }, { reason }]);
    // An earlier attempt whose reply was lost may have removed it.
    const outcome = await until(() => remove(1n, false).catch(() => undefined));
    expect(['removed', 'removed_before']).toContain(outcome);
    expect(await store.find([1n])).toEqual([tombstone(1n)]);
  });
});
