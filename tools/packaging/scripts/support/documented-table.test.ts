import { expect, it } from 'vitest';
import { replaceTable } from './documented-table.js';

const page = 'before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n| a | c |\n|---|---|\n';

it('replaces only the table with the same header row', () => {
  const text = replaceTable(page, { head: ['a', 'b'], rows: [['5', '6']] });
  expect(text).toBe('before\n\n| a | b |\n|---|---|\n| 5 | 6 |\n\n| a | c |\n|---|---|\n');
});

it('replaces a table at the end of the text', () => {
  const text = replaceTable('| a |\n|---|\n| 1 |', { head: ['a'], rows: [] });
  expect(text).toBe('| a |\n|---|');
});

it('rejects a table that the text does not have', () => {
  expect(() => replaceTable(page, { head: ['x'], rows: [] })).toThrow('No table begins with | x |');
});
