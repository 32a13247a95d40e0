import { expect, it } from 'vitest';
import { findVariants } from './find-variants.js';

function find(texts: readonly string[], stored?: ReadonlyMap<string, number>) {
  return findVariants(texts, stored).map(({ text, to, count }) => `${JSON.stringify(text)} ${to} ${count}`);
}

it('finds texts that differ only in spaces, case, or composition, and takes the most frequent one', () => {
  expect(find(['Staude', 'Staude', 'Staude ', 'staude', 'Gräser', 'Gra\u0308ser', 'Farn'])).toEqual([
    '"Staude " Staude 1',
    '"staude" Staude 1',
    '"Gra\u0308ser" Gräser 1',
  ]);
});

it('finds a unique text with extra spaces around it or within it', () => {
  expect(find([' Rosa  rugosa', 'Farn'])).toEqual(['" Rosa  rugosa" Rosa rugosa 1']);
});

it('counts stored plants, too', () => {
  const stored = new Map([['Staude', 9]]);
  expect(find(['staude', 'staude'], stored)).toEqual(['"staude" Staude 2']);
  expect(find(['Staude', 'Farn'], stored)).toEqual([]);
});
