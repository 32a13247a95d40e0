import type { NewPlant } from '@plant-store/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storesWithShards, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';

const stored = { stored: true, addedAt: expect.any(Number) };
const taken = (plant: NewPlant) => ({ stored: false, existing: { ...plant, addedAt: expect.any(Number) } });

/** How to make an engine reject another plant whose name is `twice`. */
const rejectTwice = {
  sqlite: { make: 'CREATE UNIQUE INDEX one_of_a_name ON plants (name)', drop: 'DROP INDEX one_of_a_name' },
  postgresql: {
    make: `ALTER TABLE plants ADD CONSTRAINT one_of_a_name CHECK (id = 99 OR name <> 'twice')`,
    drop: 'ALTER TABLE plants DROP CONSTRAINT one_of_a_name',
  },
};

describe.each(storesWithShards())('creating plants on %s', (kind) => {
  const engine = kind === 'sqlite' ? 'sqlite' : 'postgresql';
  const { store, testDatabase, readAll } = usePlantStore(kind);

  it('treats one call like a sequence of calls with one plant each, in any order of their ids', async () => {
    const plant = (id: bigint, name: string) => ({ id, name });
    await store.create([plant(1n, 'old')]);
    const plants = [
      plant(1n, 'new'),
      plant(3n, 'a'),
      plant(2n, 'b'),
      plant(3n, 'c'),
      plant(2n, 'd'),
      plant(4n, 'e'),
      plant(1n, 'old'),
      plant(3n, 'a'),
    ];
    const [old, a, b] = [taken(plant(1n, 'old')), taken(plant(3n, 'a')), taken(plant(2n, 'b'))];
    expect(await store.create(plants)).toEqual([old, stored, stored, a, b, stored, old, a]);
    expect(await readAll()).toEqual([plant(1n, 'old'), plant(2n, 'b'), plant(3n, 'a'), plant(4n, 'e')]);
  });

  it('stores the plants with free ids even if other ids are taken or duplicated', async () => {
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

  it('stores none of the plants of a commit that fails', async () => {
    const plants = plantsOf(...Array(20).keys()).with(7, { id: 7n, name: 'twice' });
    const { make, drop } = rejectTwice[engine];
    await store.create([{ id: 99n, name: 'twice' }]);
    await testDatabase.query(make);
    onTestFinished(async () => void (await testDatabase.query(drop)));
    await expect(store.create(plants)).rejects.toThrow(/unique|check/i);
    expect(await readAll()).toEqual([{ id: 99n, name: 'twice' }]);
  });
});
