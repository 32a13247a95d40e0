import { expect, it } from 'vitest';
import { formatTable } from './table.js';

it('formats a Markdown table, with names on the left, and numbers on the right with thousands separators', () => {
  const table = formatTable(
    ['one call with', 'bytes'],
    [
      ['a client', 6426],
      ['another', 'unknown'],
    ],
  );
  expect(table).toBe('| one call with | bytes |\n| --- | --: |\n| a client | 6,426 |\n| another | unknown |');
});
