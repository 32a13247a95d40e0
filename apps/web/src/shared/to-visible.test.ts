import { expect, it } from 'vitest';
import { toVisible } from './to-visible.js';

it.each([
  ['', ''],
  ['Fern ☘ زهرة', 'Fern ☘ زهرة'],
  ['a\u202eb\u2066c\u0000\n\t', 'a\\u202eb\\u2066c\\u0000\\u000a\\u0009'],
  ['گل‌ها ❤️', 'گل‌ها ❤️'],
  ['a\u200b\u3164', 'a\\u200b\\u3164'],
  ['   ', '(only spaces: 3)'],
  ['\u3000\u00a0', '(only spaces: 2)'],
  [' \n', ' \\u000a'],
  ['abcdef', 'abcd…'],
])('shows %j as %j', (text, visible) => {
  expect(toVisible(text, 4 + 20 * Number(!text.startsWith('abc')))).toBe(visible);
});

it('keeps line breaks where they are displayed', () => {
  expect(toVisible('a\n\tb\u202e', 20, true)).toBe('a\n\tb\\u202e');
});
