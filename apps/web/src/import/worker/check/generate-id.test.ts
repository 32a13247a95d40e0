import { expect, it } from 'vitest';
import { generateId } from './generate-id.js';

it('gives the same line of the same file the same id, a positive number that every program keeps', () => {
  // A change of these would store what was imported before a second time.
  expect(generateId('plants.csv', 2, 'Rose', 'shrub')).toBe(5751440179104783);
  expect(generateId(undefined, 2, 'Rose', '')).toBe(488232347082932);
});

it('gives other ids for another file, line, name or tag', () => {
  const ids = [
    generateId('plants.csv', 2, 'Rose', 'shrub'),
    generateId('others.csv', 2, 'Rose', 'shrub'),
    generateId(undefined, 2, 'Rose', 'shrub'),
    generateId('plants.csv', 3, 'Rose', 'shrub'),
    generateId('plants.csv', 2, 'Roses', 'hrub'),
    generateId('plants.csv', 2, 'Rose', ''),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

it('gives 90,000 similar lines different ids, spread over the whole range', () => {
  const ids = new Set<number>();
  for (let line = 1; line <= 30_000; line++) {
    for (const name of ['Rose', 'Fern', `Plant ${line % 100}`])
      ids.add(generateId('plants.csv', line, name, ''));
  }
  expect(ids.size).toBe(90_000);
  const buckets = new Uint32Array(16);
  for (const id of ids) {
    expect(Number.isSafeInteger(id) && id > 0).toBe(true);
    buckets[Math.floor(id / 2 ** 49)] = (buckets[Math.floor(id / 2 ** 49)] ?? 0) + 1;
  }
  // 5,625 on average; a deviation of ten standard deviations does not happen by chance.
  expect(Math.min(...buckets)).toBeGreaterThan(4_900);
  expect(Math.max(...buckets)).toBeLessThan(6_350);
});
