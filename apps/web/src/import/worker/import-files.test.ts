import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { expect, it, vi } from 'vitest';
import type { Preview, ReadAs, Report, View } from '../protocol.js';
import { ImportWorker } from './import-worker.js';
import { file, read } from './testing/read.js';

/** Files as programs write them. Named files are from that program, the others are handwritten. */
const folder = join(import.meta.dirname, '../../../test/import-files');
const fixture = (name: string) => file(name, new Uint8Array(readFileSync(join(folder, name))));

const notCalculated = (field: string) =>
  `The ${field} contains a spreadsheet error. Enter the correct value.`;
/** The results of LibreOffice and Gnumeric for one workbook. The date and the time depend on the format. */
const bestand = (time: string, date: string, digits: string) => [
  '2 1042 Größte Rose [Strauch]',
  '3 1043 Farn',
  '4 1044 Efeu [Kletterer]',
  `6 1046 ${time} [${date}]`,
  `7 1047 Line\nbreak, "quoted" [${digits}]`,
  `5! ${notCalculated('tag')}`,
];
const titled = ['1042 Größte Rose [Strauch]', '1043 Farn', '1044 Efeu [Kletterer]'];

/** The lines with their plants, then those with a problem (`!`); and what the preview shows, where that is more. */
const cases: readonly (readonly [
  name: string,
  lines: readonly string[],
  about?: Partial<Preview>,
  as?: ReadAs,
])[] = [
  ['blank-lines.csv', ['5 1 Rose [Strauch]', '8 2 Fern', '12 3 Ivy']],
  ['blank-rows.xlsx', ['4 1 Rose', '7 2 Fern']],
  ['duplicate-ids.csv', ['2 1 Rose', '4 2 Ivy', '6 3 Oak', '3! Line 2 has the same ID.']],
  ['excel-chinese-gbk.csv', ['2 1 玫瑰 [灌木]'], { encoding: 'gbk' }, { encoding: 'gbk' }],
  ['excel-japanese-shift-jis.csv', ['2 1 バラ [低木]', '3 2 表示'], {}, { encoding: 'shift_jis' }],
  ['excel-mac-roman.csv', ['2 1 Größte Rose [Strauch]'], {}, { encoding: 'macintosh' }],
  ['excel-polish-windows-1250.csv', ['2 1 Żółta róża'], {}, { encoding: 'windows-1250' }],
  ['excel-russian-windows-1251.csv', ['2 1 Роза'], {}, { encoding: 'windows-1251' }],
  ['excel-russian-windows-1251.csv', ['2 1 Ðîçà'], { encoding: 'windows-1252' }],
  ['excel-semicolons-utf-8.csv', ['2 1 Rose; red [1,5]', '3 2 two\nlines'], { encoding: undefined }],
  ['excel-sep-line.csv', ['3 1 Rose, red [shrub]', '4 2 Fern']],
  ['excel-unicode-text.txt', ['2 1 Rose "Ø" [shrub]']],
  ['exceljs.xlsx', ['2 1 Rose [2026-11-25]', '4 3 Ivy [TRUE]', `3! ${notCalculated('tag')}`]],
  ['gnumeric.csv', bestand('13:30:00', '2026/11/25', '1234')],
  ['gnumeric.xlsx', bestand('13:30', '2026-11-25', '01234')],
  ['google.xlsx', ['2 1234 Rose rot [2026-11-25]', '3 5 Hübsche 🌱']],
  [
    'ids-with-separators.csv',
    [
      '2! Enter the ID without separators between the digits.',
      '3! Enter the ID without separators between the digits.',
      '4! Enter the ID without decimals.',
      '5! The ID is missing.',
      '6! The ID must be a whole number.',
    ],
  ],
  ['libreoffice-semicolons-windows-1252.csv', bestand('01:30:00 PM', '11/25/2026', '1234')],
  ['libreoffice-tabs-utf-16.tsv', bestand('01:30:00 PM', '11/25/2026', '1234')],
  ['libreoffice.xlsx', bestand('13:30', '2026-11-25', '01234')],
  [
    'list-of-objects.json',
    ['2 9223372036854775807 Rose', '3 2 Fern, [wild] [shade]', '8! The name is missing.'],
    { columns: undefined, notes: [] },
  ],
  ['minimal.xlsx', ['2 1 Rose', '9 2 a\nb']],
  [
    'open-quote.csv',
    [
      '3 2 Fern',
      '4 3 Ivy',
      '2! A cell starts with a double quote that is never closed. Close the quote, or double it if it is part of the text.',
    ],
  ],
  ['openpyxl-errors.xlsx', ['3 2 Fern [shrub]', `2! ${notCalculated('tag')}`, `4! ${notCalculated('name')}`]],
  [
    'openpyxl-hidden-rows-and-columns.xlsx',
    ['2 1 Rose', '3 2 Fern', '4 3 Ivy'],
    { notes: ['The sheet has 1 hidden row and the hidden column B. Hidden cells are also imported.'] },
  ],
  [
    'openpyxl-hidden-sheets.xlsx',
    ['2 1 Rose'],
    { sheets: { names: ['Empty', 'Plants', 'Seeds & more'], chosen: 'Plants' } },
  ],
  ['openpyxl-hidden-sheets.xlsx', ['2 2 Fern'], {}, { sheet: 'Seeds & more' }],
  ['plant-named-total.csv', ['2 1 Rose', '3 7 Total', '4 8 Summe [Stauden]', '5 9 Fern']],
  ['power-bi.xlsx', ['2 7 Leek 🌱 & more [2026-11-25]']],
  ['sheetjs.xlsx', ['2 1 Rose', '3 2 0.3', '4 9223372036854775807 Fern']],
  ['strict.xlsx', ['2 1 2026-11-25', '3 2 2026-11-25 13:30']],
  [
    'text-named.xlsx',
    ['2 1 Rose', '3 2 Fern'],
    { notes: ['The file has the extension .xlsx, but it is plain text. It was read as a text table.'] },
  ],
  ['title-and-blank-lines.csv', ['4 1042 Rose [Strauch]', '5 1043 Farn']],
  ['total-row.xlsx', ['2 1 Rose', '3 2 Fern']],
  ['totals-between.csv', ['2 1 Rose', '3 2 Farn', '5 3 Efeu']],
  [
    'workbook-named.csv',
    ['2 1 Rose', '3 2 Fern'],
    { notes: ['The file has the extension .csv, but it is an Excel workbook. It was read as a workbook.'] },
  ],
  ['xlsxwriter-1904.xlsx', ['2 1 1999-12-31']],
  [
    'xlsxwriter-number-formats.xlsx',
    [
      '2 1 01234 [00000]',
      '3 2 PL-0042 ["PL-"0000]',
      '4 3 2026-11-25 [dd.mm.yy]',
      '5 4 2026-11-25 13:30 [d. mmm yyyy h:mm]',
      '6 5 13:30 [hh:mm]',
      '7 6 36:00:00 [[h]:mm:ss]',
      '8 7 1234567 [#,##0]',
      '9 8 0.5 [0%]',
      '10 9 2026-11-25 [[$-407]mmmm yyyy;@]',
      '11 10 12 [0]',
      '12 11 1234-567 [000-000]',
      '13 12 1900-02-28 [d/m/yyyy]',
      '14 13 2026-11-25',
      '15 14 13:30:15',
      '16 15 TRUE [idx]',
    ],
  ],
  [
    'xlsxwriter-stray-cell.xlsx',
    [
      '2 1 Rose',
      '1048576! This line has data to the right of the last column header. Clear those cells, or give the column a header.',
    ],
  ],
  ['xlsxwriter-title-and-blank-lines.xlsx', titled.map((line, index) => `${index + 5} ${line}`)],
];

it.each(cases.map((each) => [each[0], each] as const))(
  'reads %s',
  async (_, [name, expected, about = {}, as = {}]) => {
    const source = fixture(name);
    const { plants, faulty } = await read(source, as);
    const shown = Object.entries(plants).map(
      ([line, { id, name: text, tag } = { id: 0n, name: '' }]) =>
        `${line} ${id} ${text}${tag === undefined ? '' : ` [${tag}]`}`,
    );
    expect([...shown, ...Object.entries(faulty).map(([line, reason]) => `${line}! ${reason}`)]).toEqual(
      expected,
    );
    const previews: Preview[] = [];
    const worker = new ImportWorker((report) => {
      if (report.type === 'view' && report.view.preview) previews.push(report.view.preview);
    });
    await worker.read(source, as);
    expect(previews[0]).toMatchObject(about);
  },
);

const saveAs = 'In Excel, choose Save As, then .xlsx.';

/** What the page says about files of other kinds. */
const wrongKinds: readonly (readonly [message: string, ...names: string[]])[] = [
  ['This file is compressed. Extract it first, then choose the file inside.', 'archive.zip'],
  [`This is a binary Excel workbook (.xlsb). ${saveAs}`, 'binary-workbook.xlsb'],
  ['This is a Numbers document. In Numbers, choose File, Export To, then Excel.', 'numbers.numbers'],
  [`This is an old Excel workbook (.xls). ${saveAs}`, 'old-excel-named.csv', 'old-excel.xls'],
  [
    'This is an OpenDocument spreadsheet (.ods). In LibreOffice, choose Save As, then Excel (.xlsx).',
    'opendocument-named.xlsx',
    'opendocument.ods',
  ],
  [
    'This workbook has a password. In Excel, save a copy without a password, and choose the copy.',
    'password.xlsx',
  ],
  [
    'This is a PDF. Copy its table into a spreadsheet, save it as .xlsx, and choose that file.',
    'pdf-named.csv',
  ],
  ['This is an image. Type its text into a spreadsheet, or paste the lines below.', 'picture-named.csv'],
  ['This file is not a table. Choose a spreadsheet (.xlsx) or a CSV file.', 'random-bytes.csv'],
  [`This is an Excel 2003 XML workbook. Open it in Excel. ${saveAs}`, 'spreadsheet-2003.xml'],
  [
    'This is a web page with a workbook extension. Open it in Excel, choose Save As, then .xlsx.',
    'web-page-named.xls',
    'web-page-named.xlsx',
  ],
];

it.each(wrongKinds)('explains: %s', async (message, ...names) => {
  for (const name of names) await expect(read(fixture(name))).rejects.toThrow(message);
});

/** Compares a file with stored plants, and returns the notable lines with their states. */
async function review(
  name: string,
  stored: readonly (readonly [id: number, name: string, tag?: string])[] = [],
) {
  const store = createFakePlantStore();
  const client = createClient(store);
  for (const [id, plantName, tag] of stored)
    await client.createPlant({ body: { id, name: plantName, ...(tag !== undefined && { tag }) } });
  const fetch = vi.fn(store.fetch);
  const reports: Report[] = [];
  const worker = new ImportWorker((report) => reports.push(report), { fetch });
  const view = (): View =>
    Object.assign({}, ...reports.map((report) => report.type === 'view' && report.view));
  await worker.setTarget({ baseUrl: store.baseUrl, token: store.token });
  await worker.read(fixture(name), {});
  const { columns } = view().preview ?? {};
  if (columns && view().step === 'columns') await worker.check(columns.header, columns.choice);
  await worker.change(['showMore', 'unchanged']);
  const rows = view().list.flatMap((group) => group.rows);
  return { worker, fetch, view, rows: rows.toSorted((one, other) => one.line - other.line) };
}

const stock = [
  [10243, 'Acer palmatum ‘Bloodgod’', 'Gehölze'],
  [10111, 'Briza media', 'Stauden'],
  [10118, 'Hosta sieboldiana', 'Stauden'],
] as const;

it('shows what an edited export changes', async () => {
  const { rows } = await review('updates.csv', stock);
  expect(rows.map(({ line, state, before }) => [line, state, before?.name, before?.tag])).toEqual([
    [2, 'changed', 'Acer palmatum ‘Bloodgod’', 'Gehölze'],
    [3, 'changed', 'Briza media', 'Stauden'],
    [4, 'replayed', undefined, undefined],
    [5, 'ready', undefined, undefined],
  ]);
});

it('keeps fields that have no column in the file', async () => {
  const { rows } = await review('updates-without-tag.csv', stock);
  expect(rows).toMatchObject([
    { state: 'changed', name: 'Briza maxima', tag: 'Stauden', before: { name: 'Briza media' } },
    { state: 'ready', name: 'Molinia caerulea', tag: '' },
  ]);
});

it('sends a duplicate line once, and nothing for an id with two plants', async () => {
  const { view } = await review('duplicate-ids.csv');
  expect(view().counts).toMatchObject({ ready: 3, repeated: 1, problem: 1 });
});

it('warns about duplicate names in the file or the store, without a request for each', async () => {
  const { rows, view, fetch } = await review('duplicate-names.csv', [
    [10111, 'BRIZA MEDIA'],
    [5, 'Fern'],
  ]);
  expect(rows.map(({ line, state, warning }) => [line, state, warning])).toEqual([
    [2, 'ready', 'Line 3 has the same name.'],
    [3, 'ready', 'Line 2 has the same name.'],
    [4, 'ready', 'Line 5 has the same name.'],
    [5, 'ready', 'Line 4 has the same name.'],
    // Its name is unique.
    [6, 'replayed', undefined],
    [7, 'ready', 'Plant 10111 already has this name.'],
  ]);
  expect(view().counts).toMatchObject({ 'same-name': 5, problems: 0 });
  expect(view().notes).toContain('5 lines have the same name as another line or plant.');
  expect(fetch).toHaveBeenCalledTimes(3);
});

it('no longer warns about a name once the other line is left out', async () => {
  const { worker, view } = await review('duplicate-names.csv');
  await worker.change(['leaveOut', 0]);
  expect(view().counts['same-name']).toBe(2);
});

it.each([
  ['total-last-line.csv', [4], 2],
  ['total-row.xlsx', [4], 2],
  ['totals-between.csv', [4, 6], 3],
  ['plant-named-total.csv', [], 4],
])('leaves totals of %s out, and includes them again', async (name, lines, ready) => {
  const { worker, view } = await review(name);
  const { totals } = view();
  expect(totals.map(({ line }) => line)).toEqual(lines);
  expect(view().counts).toMatchObject({ ready, skipped: lines.length, problems: 0 });
  await worker.change(['include', totals.map(({ index }) => index)]);
  expect(view()).toMatchObject({ totals: [], counts: { skipped: 0 } });
  expect(view().counts.ready + view().counts.problems).toBe(ready + lines.length);
});

it('has an expectation for every file', () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  const unknown = readdirSync(folder).filter((name) => !source.includes(`'${name}'`));
  expect(unknown).toEqual([]);
});
