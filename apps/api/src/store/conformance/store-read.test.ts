import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import {
  highPageLimits,
  usePlantStore,
  withoutTime,
} from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';

describe.each(enginesOfStore())('reading plants on %s', (kind) => {
  const { store, readAll } = usePlantStore(kind);
  const readPages = async (limits: Partial<typeof highPageLimits>, after?: bigint) => {
    const pages = await collect(store.read(after, { ...highPageLimits, ...limits }));
    return pages.map((page) => page.map(withoutTime));
  };

  it('pages through all plants in the order of their ids, from the smallest to the largest', async () => {
    expect(await readAll()).toEqual([]);
    const plants = plantsOf(INT64_MIN, -2n, -1n, 0n, 1n, 10n, 9007199254740993n, INT64_MAX);
    await store.create(plants.toReversed());
    const pages = await readPages({ records: 3 });
    for (const page of pages) expect([1, 2, 3]).toContain(page.length);
    expect(pages.flat()).toEqual(plants);
    expect(await readPages({}, INT64_MAX)).toEqual([]);
  });

  it('can begin after any id, and has tombstones', async () => {
    await store.create(plantsOf(-5n, 5n));
    await removeFrom(store, [6n, 7n], true);
    const tombstones = [6n, 7n].map((id) => ({ id, deleted: true }));
    expect(await readAll(-6n)).toEqual([...plantsOf(-5n, 5n), ...tombstones]);
    for (const after of [-5n, 0n]) expect(await readAll(after)).toEqual([...plantsOf(5n), ...tombstones]);
    expect(await readPages({ records: 1 }, 5n)).toEqual(tombstones.map((record) => [record]));
    expect(await readAll(7n)).toEqual([]);
  });

  it('fills a page up to its limit in bytes, with at least one plant', async () => {
    // Of 7, 3 and 2 bytes, and one that is larger than each limit.
    const plants = [
      { id: 1n, name: '🌱é', tag: 'a' },
      { id: 2n, name: '苗' },
      { id: 3n, name: '', tag: 'bc' },
      { id: 4n, name: 'x'.repeat(13) },
    ];
    await store.create(plants);
    for (const [count, limits] of Object.entries({ 1: [0, 8, 9], 2: [10, 11], 3: [12] }))
      for (const bytes of limits) {
        const pages = await readPages({ bytes });
        expect(pages[0], `within ${bytes} bytes`).toEqual(plants.slice(0, Number(count)));
        expect(pages.at(-1)).toEqual(plants.slice(3));
      }
  });
});
