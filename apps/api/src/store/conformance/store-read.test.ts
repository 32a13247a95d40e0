import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import {
  highPageLimits,
  storesWithShards,
  usePlantStore,
  withoutTime,
} from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';

describe.each(storesWithShards())('reading plants on %s', (kind) => {
  const { store, testDatabase, readAll } = usePlantStore(kind);

  it('returns nothing from an empty store', async () => {
    expect(await readAll()).toEqual([]);
  });

  it('pages through all plants in the order of their ids, from the smallest to the largest', async () => {
    const plants = plantsOf(INT64_MIN, -2n, -1n, 0n, 1n, 10n, 9007199254740993n, INT64_MAX);
    await store.create(plants.toReversed());
    const limits = { ...highPageLimits, plants: 3 };
    const pages = await collect(store.read(undefined, limits));
    for (const page of pages) expect([1, 2, 3]).toContain(page.length);
    expect(pages.flat().map(withoutTime)).toEqual(plants);
    expect(await collect(store.read(INT64_MAX, limits))).toEqual([]);
  });

  it('begins after an id that no plant has', async () => {
    await store.create(plantsOf(-5n, 5n));
    expect(await readAll(-6n)).toEqual(plantsOf(-5n, 5n));
    expect(await readAll(-5n)).toEqual(plantsOf(5n));
    expect(await readAll(0n)).toEqual(plantsOf(5n));
    expect(await readAll(6n)).toEqual([]);
    expect(await readAll(INT64_MIN)).toEqual(plantsOf(-5n, 5n));
  });

  it.each([
    { bytes: 0, count: 1 },
    { bytes: 8, count: 1 },
    { bytes: 9, count: 1 },
    { bytes: 10, count: 2 },
    { bytes: 11, count: 2 },
    { bytes: 12, count: 3 },
  ])(
    'begins with a page of the first $count of plants of 7, 3 and 2 bytes within $bytes bytes',
    async ({ bytes, count }) => {
      const plants = [
        { id: 1n, name: '🌱é', tag: 'a' },
        { id: 2n, name: '苗' },
        { id: 3n, name: '', tag: 'bc' },
      ];
      await store.create(plants);
      const [page] = await collect(store.read(undefined, { ...highPageLimits, bytes }));
      expect(page?.map(withoutTime)).toEqual(plants.slice(0, count));
    },
  );

  it('returns a plant larger than the limit alone', async () => {
    const plants = [1n, 2n, 3n].map((id) => ({ id, name: id === 2n ? 'x'.repeat(2_000) : 'x' }));
    await store.create(plants);
    const pages = await collect(store.read(undefined, { ...highPageLimits, bytes: 1_000 }));
    expect(pages.map((page) => page.map(withoutTime))).toEqual(plants.map((plant) => [plant]));
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
        await store.create(plants);
        const before = (plants[0]?.id ?? 0n) - 1n;
        expect(await readAll(before)).toEqual(plants);
      }),
      { numRuns: 50 },
    );
  });
});
