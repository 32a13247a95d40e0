import { expect, it } from 'vitest';
import { formatTable } from './format-table.js';

it('aligns names to the left and figures to the right', () => {
  expect(
    formatTable(
      ['', 'requests/s'],
      [
        ['Plant Store', '12,345'],
        ['a peer', '9'],
      ],
    ),
  ).toBe(
    [
      '|             | requests/s |',
      '|-------------|-----------:|',
      '| Plant Store |     12,345 |',
      '| a peer      |          9 |',
    ].join('\n'),
  );
});
