import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Preview, ReadAs } from '../protocol.js';
import { ImportWorker } from './import-worker.js';
import { file, read } from './testing/read.js';

/** Files as programs write them: those of a name by that program, the others by hand. */
const folder = join(import.meta.dirname, '../../../test/import-files');

const notCalculated = 'the spreadsheet could not calculate this cell; enter what belongs there';
/** What LibreOffice and Gnumeric make of one workbook; the date and the time depend on the format. */
const bestand = (time: string, date: string, digits: string) => [
  ...['2 1042 Größte Rose [Strauch]', '3 1043 Farn', '4 1044 Efeu [Kletterer]'],
  ...[`6 1046 ${time} [${date}]`, `7 1047 Line\nbreak, "quoted" [${digits}]`],
  `5! tag "#N/A": ${notCalculated}`,
];
const titled = ['1042 Größte Rose [Strauch]', '1043 Farn', '1044 Efeu [Kletterer]'];

/** The lines with their plants, then those with a problem (`!`); and what the preview shows, where that is more. */
const cases: readonly (readonly [
  name: string,
  lines: readonly string[],
  about?: Partial<Preview>,
  as?: ReadAs,
])[] = [
  ['excel-chinese-gbk.csv', ['2 1 玫瑰 [灌木]'], { encoding: 'gbk' }, { encoding: 'gbk' }],
  ['excel-japanese-shift-jis.csv', ['2 1 バラ [低木]', '3 2 表示'], {}, { encoding: 'shift_jis' }],
  ['excel-mac-roman.csv', ['2 1 Größte Rose [Strauch]'], {}, { encoding: 'macintosh' }],
  ['excel-polish-windows-1250.csv', ['2 1 Żółta róża'], {}, { encoding: 'windows-1250' }],
  ['excel-russian-windows-1251.csv', ['2 1 Роза'], {}, { encoding: 'windows-1251' }],
  ['excel-russian-windows-1251.csv', ['2 1 Ðîçà'], { encoding: 'windows-1252' }],
  ['excel-semicolons-utf-8.csv', ['2 1 Rose; red [1,5]', '3 2 two\nlines'], { encoding: undefined }],
  ['excel-sep-line.csv', ['3 1 Rose, red [shrub]', '4 2 Fern']],
  ['excel-unicode-text.txt', ['2 1 Rose "Ø" [shrub]']],
  ['exceljs.xlsx', ['2 1 Rose [2026-11-25]', '4 3 Ivy [TRUE]', `3! tag "#N/A": ${notCalculated}`]],
  ['gnumeric.csv', bestand('13:30:00', '2026/11/25', '1234')],
  ['gnumeric.xlsx', bestand('13:30', '2026-11-25', '01234'), { format: 'XLSX, sheet "Bestand"' }],
  ['google.xlsx', ['2 1234 Rose rot [2026-11-25]', '3 5 Hübsche 🌱']],
  [
    'ids-with-separators.csv',
    [
      '2! id "1.001": write the id without separators between its digits',
      '3! id "1.002": write the id without separators between its digits',
      ...['4! id "7,0": write the id without decimals', '5! id is missing'],
      '6! id "A-1": an id has digits only, such as 42 or -7',
    ],
  ],
  ['libreoffice-semicolons-windows-1252.csv', bestand('01:30:00 PM', '11/25/2026', '1234')],
  ['libreoffice-tabs-utf-16.tsv', bestand('01:30:00 PM', '11/25/2026', '1234')],
  ['libreoffice.xlsx', bestand('13:30', '2026-11-25', '01234')],
  ['minimal.xlsx', ['2 1 Rose', '9 2 a\nb']],
  [
    'open-quote.csv',
    [
      ...['3 2 Fern', '4 3 Ivy'],
      '2! a double quote opens a cell and does not close it; close it, or write it twice if it belongs to the text',
    ],
  ],
  [
    'openpyxl-errors.xlsx',
    ['3 2 Fern [shrub]', `2! tag "#N/A": ${notCalculated}`, `4! name "#REF!": ${notCalculated}`],
  ],
  [
    'openpyxl-hidden-rows-and-columns.xlsx',
    ['2 1 Rose', '3 2 Fern', '4 3 Ivy'],
    { notes: ['The sheet has 1 hidden row and the hidden column B: they are read like all others.'] },
  ],
  [
    'openpyxl-hidden-sheets.xlsx',
    ['2 1 Rose'],
    { sheets: { names: ['Empty', 'Plants', 'Seeds & more'], chosen: 'Plants' } },
  ],
  ['openpyxl-hidden-sheets.xlsx', ['2 2 Fern'], {}, { sheet: 'Seeds & more' }],
  ['power-bi.xlsx', ['2 7 Leek 🌱 & more [2026-11-25]']],
  ['sheetjs.xlsx', ['2 1 Rose', '3 2 0.3', '4 9223372036854775807 Fern']],
  ['strict.xlsx', ['2 1 2026-11-25', '3 2 2026-11-25 13:30']],
  ['title-and-blank-lines.csv', ['4 1042 Rose [Strauch]', '5 1043 Farn']],
  ['xlsxwriter-1904.xlsx', ['2 1 1999-12-31']],
  [
    'xlsxwriter-number-formats.xlsx',
    [
      ...['2 1 01234 [00000]', '3 2 PL-0042 ["PL-"0000]', '4 3 2026-11-25 [dd.mm.yy]'],
      ...['5 4 2026-11-25 13:30 [d. mmm yyyy h:mm]', '6 5 13:30 [hh:mm]', '7 6 36:00:00 [[h]:mm:ss]'],
      ...['8 7 1234567 [#,##0]', '9 8 0.5 [0%]', '10 9 2026-11-25 [[$-407]mmmm yyyy;@]', '11 10 12 [0]'],
      ...['12 11 1234-567 [000-000]', '13 12 1900-02-28 [d/m/yyyy]', '14 13 2026-11-25', '15 14 13:30:15'],
      '16 15 TRUE [idx]',
    ],
  ],
  [
    'xlsxwriter-stray-cell.xlsx',
    [
      '2 1 Rose',
      '1048576! there is something to the right of the last title; clear these cells, or give their column a title',
    ],
  ],
  ['xlsxwriter-title-and-blank-lines.xlsx', titled.map((line, index) => `${index + 5} ${line}`)],
];

it.each(cases.map((each) => [each[0], each] as const))(
  'reads %s',
  async (_, [name, expected, about = {}, as = {}]) => {
    const source = file(name, new Uint8Array(readFileSync(join(folder, name))));
    const { plants, faulty } = await read(source, as);
    const shown = Object.entries(plants).map(
      ([line, { id, name: text, tag }]) => `${line} ${id} ${text}${tag === undefined ? '' : ` [${tag}]`}`,
    );
    expect([...shown, ...Object.entries(faulty).map(([line, reason]) => `${line}! ${reason}`)]).toEqual(
      expected,
    );
    const previews: Preview[] = [];
    const worker = new ImportWorker((report) => report.type === 'read' && previews.push(report.preview));
    await worker.handle({ type: 'read', source, readAs: as });
    expect(previews[0]).toMatchObject(about);
  },
);

it('knows what must come of each file', () => {
  expect([...new Set(cases.map(([name]) => name))].sort()).toEqual(readdirSync(folder).sort());
});
