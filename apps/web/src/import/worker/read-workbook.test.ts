import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { type Cell, writeWorkbook } from '../../../test/write-workbook.js';
import { file, read } from './testing/read.js';

const number = (digits: string): Cell => ({ number: digits });
const readRows = (...rows: readonly (readonly Cell[])[]) =>
  read(file('plants.xlsx', writeWorkbook({ Plants: rows })));

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
    const reason =
      'contains a number that the spreadsheet may have rounded. Format the cell as text, and enter the number again.';
    expect(faulty[2]).toBe(`The ID ${reason}`);
    expect(faulty[4]).toBe(`The name ${reason}`);
  },
);

it('stops at a row with more than 1,000 columns, unless these are empty, and at an empty workbook', async () => {
  const title = (count: number) => ['id', 'name', ...Array.from({ length: count - 2 }, () => 'x')];
  const open = (row: readonly Cell[]) => readRows(title(1_000), ['1', 'Rose'], row);
  expect((await open(['2', 'Fern', ...Array(1_000).fill(' ')])).counts.ready).toBe(2);
  await expect(open(title(1_001))).rejects.toThrow('Line 3 has more than 1,000 columns.');
  await expect(readRows([])).rejects.toThrow('no lines');
});

it('stops if a small file has more text than the limit', async () => {
  const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(101);
  const relation = (id: string, type: string) =>
    `<Relationship Id="${id}" Type="/${type}" Target="${type}.xml"/>`;
  const parts = {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<r>${relation('a', 'worksheet')}${relation('b', 'sharedStrings')}</r>`,
    'xl/worksheet.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(2 ** 20)}</t></si></sst>`,
  };
  const zip = zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
  await expect(read(file('plants.xlsx', zip))).rejects.toThrow('The workbook is too large for this page');
});
