import { expect, it } from 'vitest';
import { shorten } from './shorten.js';

it.each([
  ['Rose', 'Rose'],
  ['12345', '12345'],
  ['123456', '12345…'],
  ['1234🌵6', '1234…'],
  ['123🌵6', '123🌵…'],
])('%j is shown as %j', (text, shown) => {
  expect(shorten(text, 5)).toBe(shown);
});
