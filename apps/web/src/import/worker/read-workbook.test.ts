import { expect, it } from 'vitest';
import { type Cell, writeWorkbook } from '../../../test/write-workbook.js';
import { file, read } from './testing/read.js';

const number = (digits: string): Cell => ({ number: digits });
const readRows = (...rows: readonly (readonly Cell[])[]) =>
  read(file('plants.xlsx', writeWorkbook({ Plants: rows })));

it('reads the first sheet with rows of a workbook, with the numbers of its rows and its texts exactly', async () => {
  const workbook = writeWorkbook({
    Notes: [],
    Plants: [
      ['Nr.', 'Bezeichnung', 'Art'],
      ['9223372036854775807', ' Rose & <"ivy">\n', 'shrub'],
      [],
      [number('42'), 'Fern', undefined],
      [number('-7'), number('0.10000000000000001'), number('9007199254740991')],
    ],
    More: [['1', 'Oak']],
  });
  const { plants, faulty } = await read(file('plants.xlsx', workbook));
  expect(faulty).toEqual({});
  expect(plants).toEqual({
    2: { id: 9223372036854775807n, name: ' Rose & <"ivy">\n', tag: 'shrub' },
    4: { id: 42n, name: 'Fern' },
    5: { id: -7n, name: '0.1', tag: '9007199254740991' },
  });
});

it.each(['9007199254740993', '-9223372036854775807', '9.2233720368547758E+18'])(
  'takes the number %s for one that the spreadsheet may have rounded, where it is imported',
  async (digits) => {
    const { plants, faulty } = await readRows(
      ['id', 'name', 'price'],
      [number(digits), 'Rose', number('1')],
      [number('2'), 'Fern', number(digits)],
      [number('3'), number(digits), number('1')],
    );
    expect(Object.keys(plants)).toEqual(['3']);
    const reason = `"${digits}": the spreadsheet may have rounded this number; format the cell as text`;
    expect(faulty[2]).toContain(`id ${reason}`);
    expect(faulty[4]).toContain(`name ${reason}`);
  },
);

it('cuts off the number that a reason quotes', async () => {
  const { faulty } = await readRows(['id', 'name'], [number('9'.repeat(10_000)), 'Rose']);
  expect(faulty[2]).toMatch(/^id "9+…": the spreadsheet may have rounded/);
  expect(faulty[2]?.length).toBeLessThan(400);
});

it('ends at a row with more than 1,000 columns, unless these are empty, and where there is nothing', async () => {
  const title = (count: number) => ['id', 'name', ...Array.from({ length: count - 2 }, () => 'x')];
  const open = (row: readonly Cell[]) => readRows(title(1_000), ['1', 'Rose'], row);
  expect((await open(['2', 'Fern', ...Array(1_000).fill(' ')])).counts.ready).toBe(2);
  await expect(open(title(1_001))).rejects.toThrow('Line 3 has more than 1,000 columns.');
  await expect(readRows([])).rejects.toThrow('no lines');
});
