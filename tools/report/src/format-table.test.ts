import { describe, expect, it } from 'vitest';
import { formatTable } from './format-table.js';

describe('formatTable', () => {
  it('aligns names to the left and figures to the right', () => {
    const table = formatTable(
      ['', 'requests/s'],
      [
        ['Plant Store', '12,345'],
        ['another', '9'],
      ],
    );
    expect(table.split('\n')).toEqual([
      '|             | requests/s |',
      '|-------------|-----------:|',
      '| Plant Store |     12,345 |',
      '| another     |          9 |',
    ]);
  });

  it('separates the thousands of numbers', () => {
    const table = formatTable(
      ['one call with', 'bytes'],
      [
        ['a client', 6426],
        ['another', 'unknown'],
      ],
    );
    expect(table.split('\n')).toEqual([
      '| one call with |   bytes |',
      '|---------------|--------:|',
      '| a client      |   6,426 |',
      '| another       | unknown |',
    ]);
  });
});
