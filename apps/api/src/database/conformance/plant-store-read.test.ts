import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engines } from '../../../test/support/database/engines.js';
import { highPageLimits, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';

describe.each(engines)('reading plants on %s', (engine) => {
  const { store, testDatabase, readAll } = usePlantStore(engine);

  it('returns nothing from an empty store', async () => {
    expect(await readAll()).toEqual([]);
  });

  it('pages through all plants in the order of their ids, from the smallest to the largest', async () => {
    const plants = plantsOf(INT64_MIN, -2n, -1n, 0n, 1n, 10n, 9007199254740993n, INT64_MAX);
    await store.insert(plants.toReversed());
    const limits = { ...highPageLimits, plants: 3 };
    const first = await store.read(undefined, limits);
    const second = await store.read(first.at(-1)?.id, limits);
    const third = await store.read(second.at(-1)?.id, limits);
    expect([first, second, third].map(({ length }) => length)).toEqual([3, 3, 2]);
    expect([...first, ...second, ...third]).toStrictEqual(plants);
    expect(await store.read(INT64_MAX, limits)).toEqual([]);
  });

  it('begins after an id that no plant has', async () => {
    await store.insert(plantsOf(-5n, 5n));
    expect(await store.read(-6n, highPageLimits)).toEqual(plantsOf(-5n, 5n));
    expect(await store.read(-5n, highPageLimits)).toEqual(plantsOf(5n));
    expect(await store.read(0n, highPageLimits)).toEqual(plantsOf(5n));
    expect(await store.read(6n, highPageLimits)).toEqual([]);
    expect(await store.read(INT64_MIN, highPageLimits)).toEqual(plantsOf(-5n, 5n));
  });

  it.each([
    { bytes: 0, count: 1 },
    { bytes: 8, count: 1 },
    { bytes: 9, count: 1 },
    { bytes: 10, count: 2 },
    { bytes: 11, count: 2 },
    { bytes: 12, count: 3 },
  ])(
    'returns the first $count of plants of 7, 3 and 2 bytes within $bytes bytes',
    async ({ bytes, count }) => {
      const plants = [
        { id: 1n, name: '🌱é', tag: 'a' },
        { id: 2n, name: '苗' },
        { id: 3n, name: '', tag: 'bc' },
      ];
      await store.insert(plants);
      expect(await store.read(undefined, { ...highPageLimits, bytes })).toStrictEqual(plants.slice(0, count));
    },
  );

  it('returns a plant larger than the limit alone', async () => {
    const plants = [1n, 2n, 3n].map((id) => ({ id, name: id === 2n ? 'x'.repeat(2_000) : 'x' }));
    await store.insert(plants);
    const limits = { ...highPageLimits, bytes: 1_000 };
    expect(await store.read(undefined, limits)).toEqual(plants.slice(0, 1));
    expect(await store.read(1n, limits)).toEqual(plants.slice(1, 2));
    expect(await store.read(2n, limits)).toEqual(plants.slice(2));
  });

  it('rejects with the original error when the database does answer', async () => {
    await testDatabase.query('ALTER TABLE plants RENAME TO elsewhere');
    const reading = readAll();
    await expect(reading).rejects.toThrow(/plants/);
    await expect(reading).rejects.not.toMatchObject({ errorName: 'database_unavailable' });
    await testDatabase.query('ALTER TABLE elsewhere RENAME TO plants');
    expect(await readAll()).toEqual([]);
  });

  it('returns any text that a plant may have exactly as it was stored', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    let id = 0n;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ name: text, tag: text }), { minLength: 1 }), async (texts) => {
        const plants = texts.map((record) => ({ id: id++, ...record }));
        await store.insert(plants);
        const before = (plants[0]?.id ?? 0n) - 1n;
        expect(await store.read(before, highPageLimits)).toStrictEqual(plants);
      }),
      { numRuns: 50 },
    );
  });
});
