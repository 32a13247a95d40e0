import { expect, it } from 'vitest';
import { noTexts } from '../../../shared/fields.js';
import { generateId } from './generate-id.js';

const { id: _, ...none } = noTexts;
const generate = (fileName: string | undefined, line: number, texts: Partial<typeof none>) =>
  generateId(fileName, line, { ...none, ...texts });

it('gives the same line of the same file the same id, a positive number that every program keeps', () => {
  // If these changed, earlier imports would be stored a second time.
  expect(generate('plants.csv', 2, { name: 'Rose', tag: 'shrub' })).toBe(5751440179104783);
  expect(generate(undefined, 2, { name: 'Rose' })).toBe(488232347082932);
});

it('gives other ids for another file, line, name or tag', () => {
  const ids = [
    generate('plants.csv', 2, { name: 'Rose', tag: 'shrub' }),
    generate('others.csv', 2, { name: 'Rose', tag: 'shrub' }),
    generate(undefined, 2, { name: 'Rose', tag: 'shrub' }),
    generate('plants.csv', 3, { name: 'Rose', tag: 'shrub' }),
    generate('plants.csv', 2, { name: 'Roses', tag: 'hrub' }),
    generate('plants.csv', 2, { name: 'Rose' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

it('gives 90,000 similar lines different ids, spread over the whole range', () => {
  const ids = new Set<number>();
  for (let line = 1; line <= 30_000; line++) {
    for (const name of ['Rose', 'Fern', `Plant ${line % 100}`])
      ids.add(generate('plants.csv', line, { name }));
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
