import { expect, it } from 'vitest';
import { formatTable } from './table.js';

it('writes a table in Markdown, names to the left and figures to the right, with their thousands apart', () => {
  const table = formatTable(
    ['one call with', 'bytes'],
    [
      ['a client', 6426],
      ['another', 'unknown'],
    ],
  );
  expect(table).toBe('| one call with | bytes |\n| --- | --: |\n| a client | 6,426 |\n| another | unknown |');
});
