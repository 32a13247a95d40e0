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

it('gives 90,000 similar lines different ids that every program keeps', () => {
  const ids = new Set<number>();
  for (let line = 1; line <= 30_000; line++)
    for (const name of ['Rose', 'Fern', `Plant ${line % 100}`])
      ids.add(generate('plants.csv', line, { name }));
  expect(ids.size).toBe(90_000);
  expect([...ids].every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true);
});
