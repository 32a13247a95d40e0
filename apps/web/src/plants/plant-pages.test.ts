import { expect, it } from 'vitest';
import { matches, type PlantPages, toRows, totalOf, withoutPlants, withPlants } from './plant-pages.js';

const plant = (id: bigint, addedAt?: string) => ({ id, idText: `${id}`, name: `plant ${id}`, addedAt });
const pagesOf = (...pages: readonly (readonly bigint[])[]): PlantPages => ({
  pages: pages.map((ids, index) => {
    const plants = ids.map((id) => plant(id));
    return index < pages.length - 1 ? { plants, next: 'more' } : { plants };
  }),
  pageParams: pages.map(() => undefined),
});
const idsOf = ({ pages }: PlantPages) => pages.map(({ plants }) => plants.map(({ id }) => Number(id)));

it('finds a plant by its position, and its position, over pages of which some are empty', () => {
  const { pages } = pagesOf([], [1n, 2n], [], [3n], []);
  const rows = toRows(pages);
  expect(rows.count).toBe(3);
  expect([0, 1, 2, 3, -1].map((index) => rows.at(index)?.id)).toEqual([1n, 2n, 3n, undefined, undefined]);
  expect([1n, 3n, 4n].map((id) => rows.indexOf(id))).toEqual([0, 2, -1]);
});

const without = (data: PlantPages, ...ids: readonly bigint[]) => withoutPlants(data, new Set(ids));

it('removes plants, puts them back where they were, and leaves out a plant whose place is not loaded yet', () => {
  const data = pagesOf([1n, 3n], [5n, 7n]);
  for (const id of [1n, 3n, 5n, 7n])
    expect(idsOf(withPlants(without(data, id), [plant(id)], 'id')).flat()).toEqual([1, 3, 5, 7]);
  expect(idsOf(withPlants(without(pagesOf([4n]), 4n), [plant(4n)], 'id'))).toEqual([[4]]);
  const some = [plant(7n), plant(1n), plant(3n)];
  expect(idsOf(withPlants(without(data, 1n, 3n, 7n), some, 'id'))).toEqual([[], [1, 3, 5, 7]]);
  const open = { ...data, pages: data.pages.slice(0, 1) };
  expect(idsOf(withPlants(open, [plant(9n)], 'id'))).toEqual([[1, 3]]);
});

it.each([
  // By time, then by descending id, those without a time last.
  ['newest', [3, 4, 2, 5, 1]],
  ['oldest', [1, 5, 2, 4, 3]],
  ['-id', [5, 4, 3, 2, 1]],
  ['name', [5, 1, 3, 2, 4]],
  ['-name', [4, 2, 3, 1, 5]],
] as const)('orders plants as the API does: %s', (sortedBy, expected) => {
  const [early, late] = ['2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.001Z'];
  const plants = [
    { ...plant(1n), name: 'fern' },
    { ...plant(2n, early), name: '\uffee' },
    { ...plant(3n, late), name: 'Fern' },
    { ...plant(4n, early), name: '🌱' },
    { ...plant(5n), name: '' },
  ];
  const sorted = [0, 2, 4, 1, 3].reduce(
    (data, at) => withPlants(data, plants.slice(at, at + 1), sortedBy),
    pagesOf([]),
  );
  expect(idsOf(sorted)).toEqual([expected]);
});

it('counts what is added and removed', () => {
  const data = pagesOf([1n, 2n], [3n]);
  const counted = {
    ...data,
    pages: data.pages.map((page) => ({ ...page, total: 3, totalIsEstimate: true })),
  };
  expect(totalOf(withPlants(without(counted, 1n, 3n), [plant(4n)], 'id').pages)).toEqual({
    total: 2,
    totalIsEstimate: true,
  });
  expect(totalOf(data.pages)).toBeUndefined();
});

it.each([
  [{ without: 'tag' as const }, false],
  [{ q: 'rosé' }, true],
  [{ q: 'ROSE\u0301 T' }, true],
  [{ q: 'rose' }, false],
  [{ q: 'rosé', tag: 'bed' }, true],
  [{ q: 'rosé', tag: '' }, false],
  [{ tag: 'BED' }, false],
])('compares a plant with the filter %j as the service does: %s', (filter, expected) => {
  const shown = { ...plant(1n), name: 'A Rosé tree', tag: 'bed' };
  expect(matches(shown, { ...filter, order: 'id' })).toBe(expected);
});
