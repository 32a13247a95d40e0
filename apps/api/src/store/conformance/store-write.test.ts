import type { NewPlant, Plant } from '@plant-store/contract';
import { type Change, isTombstone, removalOf } from '@plant-store/records';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { outageKinds } from '../../../test/support/database/test-database.js';
import { storesWithShards, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import type { PlantRecord, StoredPlant } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';
import { until } from '../../../test/support/until.js';

const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };
const rose = { id: 2n, name: 'Rose' };

/** Replaces whatever has the id of a plant. */
const put = (plant: StoredPlant): Change<Plant> => ({ id: plant.id, bytes: 100, replace: () => plant });

const nameOf = (record: PlantRecord | undefined) =>
  record === undefined || isTombstone(record) ? undefined : record.name;

/** How to make an engine silently skip changes, and how to undo that. */
const skipChanges = {
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

describe.each(storesWithShards())('writing plants on %s', (kind) => {
  const { store, testDatabase, readAll } = usePlantStore(kind);

  it('stores the plants with free ids even if other ids are taken or duplicated', async () => {
    const stored = { stored: true, addedAt: expect.any(Number) };
    const taken = (plant: NewPlant) => ({
      stored: false,
      existing: { ...plant, addedAt: expect.any(Number) },
    });
    const plants = Array.from({ length: 60 }, (_, id) => ({ id: BigInt(id), name: `${id}` }));
    const before = [5n, 20n, 21n, 47n].map((id) => ({ id, name: 'before' }));
    await store.create(before);
    const again = { id: 35n, name: 'again' };
    const outcomes = await store.create([...plants.slice(0, 40), again, ...plants.slice(40)]);
    const existing = plants.map(({ id }) => before.find((plant) => plant.id === id));
    const expected: unknown[] = existing.map((plant) => (plant === undefined ? stored : taken(plant)));
    expect(outcomes).toEqual(expected.toSpliced(40, 0, taken({ id: 35n, name: '35' })));
    expect(await readAll()).toEqual(plants.map((plant, at) => existing[at] ?? plant));
  });

  it('keeps the time of a deleted plant, but neither its texts nor its original', async () => {
    await store.create([fern]);
    await store.change([put({ ...fern, name: 'Ferna', original: 'o' })]);
    await store.change([removalOf(1n)]);
    const rows = await testDatabase.query(
      'SELECT name, tag, original, CAST(added_at AS TEXT) AS at FROM plants',
    );
    expect(rows).toEqual([{ name: '', tag: null, original: null, at: '5' }]);
  });

  it('returns who created a plant, and who changed it last', async () => {
    const history = async () => {
      const [found] = await store.findHistory([1n]);
      return [nameOf(found?.record), found?.addedBy, found?.changedBy, found?.addedAt];
    };
    expect(await store.findHistory([1n])).toEqual([]);
    await store.create([{ ...fern, addedBy: '7' }]);
    expect(await history()).toEqual(['Fern', '7', undefined, 5]);
    await store.change([{ ...put({ ...fern, name: 'Ferna' }), by: 'subject x' }]);
    expect(await history()).toEqual(['Ferna', '7', 'subject x', 5]);
    await store.change([{ ...removalOf<Plant>(1n), by: '8' }]);
    expect(await history()).toEqual([undefined, '7', '8', 5]);
    const [{ changedAt = 0 } = {}] = await store.findHistory([1n]);
    expect(Math.abs(changedAt - Date.now())).toBeLessThan(60_000);
    await store.change([{ ...put({ id: 1n, name: 'Ivy', addedAt: 9 }), by: '9' }]);
    expect(await history()).toEqual(['Ivy', '9', undefined, 9]);
  });

  // A distributed table cannot have this trigger.
  it.runIf(kind !== 'citus')('never reports a change that the database silently skips', async () => {
    await store.create([fern, rose]);
    const { begin, end } = skipChanges[kind === 'sqlite' ? 'sqlite' : 'postgresql'];
    await testDatabase.query(begin);
    onTestFinished(async () => void (await testDatabase.query(end)));
    for (const change of [removalOf<Plant>(1n), removalOf<Plant>(1n, true), put({ ...fern, name: 'Other' })])
      await expect(store.change([change])).rejects.toThrow('The record 1 was not changed');
    expect(await readAll()).toMatchObject([{ name: 'Fern' }, rose]);
  });
});

describe.each(enginesOfStore())('an outage of %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind, 3_000);

  it.each(outageKinds)('makes changes unavailable, and plants are removed after it (%s)', async (outage) => {
    await store.create([fern]);
    const endOutage = await testDatabase.beginOutage(outage);
    const remove = async (id: bigint, retire = false) => (await removeFrom(store, [id], retire))[0];
    const attempts = await Promise.allSettled([remove(1n), remove(2n, true), store.change([put(fern)])]);
    await endOutage();
    const reason = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
    expect(attempts).toMatchObject([{ reason }, { reason }, { reason }]);
    // An earlier attempt whose reply was lost may have removed it.
    const outcome = await until(() => remove(1n).catch(() => undefined));
    expect(['removed', 'removed_before']).toContain(outcome);
    expect(await store.find([1n])).toEqual([{ id: 1n, deleted: true }]);
  });
});
