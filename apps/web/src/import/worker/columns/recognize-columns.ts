import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { requiredTexts } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { ColumnChoice, ColumnsPreview, Preview } from '../../protocol.js';
import type { Table } from '../read/read-source.js';
import { fieldOfTitle, findTitledColumns, isNameOfField } from './synonyms.js';

type Cells = readonly string[];

export interface Reading {
  /** The row with the titles, from 0 on. What is above is not read. */
  readonly header: number | undefined;
  /** Which cell of a row is which field, and how many cells a row may have; `undefined` for objects, which name their fields. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
}

const sampleLength = 100;

/** How a table is read as it is recognized, and as the person has chosen where they have. */
export function chooseReading(
  table: Table,
  chosen?: { readonly header: number | undefined; readonly columns?: ColumnChoice },
): Reading {
  if (table.delimiter === undefined) return { columns: undefined, header: undefined };
  const start = table.rows.slice(0, sampleLength).map(({ cells }) => cells);
  const header = chosen === undefined ? findHeader(start) : chosen.header;
  const { titles, rows } = readSample(table, header);
  const columns = chosen?.columns ?? recognizeColumns(titles, rows);
  const last = titles?.findLastIndex((title) => title.trim() !== '') ?? countColumns(rows) - 1;
  return { header, columns: { ...columns, count: last + 1 } };
}

/** How much is shown of a title or a sample, of how many samples, and of a line to choose the titles from. */
const shown = { title: 60, samples: 3, cells: 8, cell: 40 };

/** The columns of a table for the person to choose from. */
export function describeColumns(table: Table, { columns, header }: Reading): ColumnsPreview | undefined {
  if (columns === undefined) return undefined;
  const { titles, rows } = readSample(table, header);
  const { count, ...choice } = columns;
  const described = Array.from({ length: count }, (_, column) => ({
    column,
    title: toVisible(titles?.[column]?.trim() ?? '', shown.title),
    samples: rows
      .map((cells) => cells[column] ?? '')
      .filter((cell) => cell.trim() !== '')
      .slice(0, shown.samples)
      .map((cell) => toVisible(cell, shown.title)),
  }));
  const filled = described.filter((each) => each.title !== '' || each.samples.length > 0);
  return {
    header,
    choice,
    firstRows: table.rows.slice(0, (header ?? 0) + 5).map(({ line, cells }, row) => ({
      row,
      line,
      cells: cells
        .slice(0, Math.min(shown.cells, cells.findLastIndex((cell) => cell.trim() !== '') + 1))
        .map((cell) => toVisible(cell, shown.cell)),
    })),
    columns: filled.map((each) => ({ ...each, title: each.title || `Column ${each.column + 1}` })),
  };
}

/**
 * Whether the columns need no look: the first row has the titles, which name the id and what a plant needs by the names of the fields, and
 * nothing else of the source is in doubt. A number or a title may be anything. Objects have no columns.
 */
export function hasClearColumns({ columns, notes, sheets, encoding }: Preview): boolean {
  if (columns === undefined) return true;
  if (notes.length > 0 || encoding !== undefined || (sheets && sheets.names.length > 1)) return false;
  const titles = columns.columns
    .map(({ title }) => title)
    .filter((title) => fieldOfTitle(title) !== undefined);
  const fields = titles.map(fieldOfTitle);
  const isComplete = (['id', ...requiredTexts] as const).every((field) => fields.includes(field));
  return (
    columns.header === 0 &&
    isComplete &&
    titles.every(isNameOfField) &&
    new Set(fields).size === fields.length
  );
}

/** The titles, if there are any, and the first rows below them. */
function readSample({ rows }: Table, header: number | undefined) {
  const from = header ?? 0;
  const [first = [], ...others] = rows.slice(from, from + sampleLength).map(({ cells }) => cells);
  return header === undefined
    ? { titles: undefined, rows: [first, ...others] }
    : { titles: first, rows: others };
}

/** How many rows may be above the titles, such as the name of the list and who keeps it. */
const mostAbove = 20;

/**
 * The row of the titles: the first one if it looks like a header; below rows with fewer cells, the first one with the titles of two
 * fields, or with as many cells as most others if that looks like one.
 */
function findHeader(rows: readonly Cells[]): number | undefined {
  const widths = rows.map((row) => row.filter((cell) => cell.trim() !== '').length);
  const usual = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0;
  const above = rows.slice(0, mostAbove);
  const isBelowLess = (row: number) => widths.slice(0, row).every((width) => width < (widths[row] ?? 0));
  const titled = above.findIndex((row, index) => isBelowLess(index) && countTitled(row) > 1);
  if (titled !== -1 && !(titled === 0 && !looksLikeHeader(rows))) return titled;
  if (looksLikeHeader(rows)) return 0;
  const wide = above.findIndex((_, index) => widths[index] === usual);
  return wide > 0 && usual > 1 && isBelowLess(wide) && looksLikeHeader(rows.slice(wide)) ? wide : undefined;
}

function countTitled(row: Cells): number {
  return Object.values(findTitledColumns(row)).filter((column) => column !== undefined).length;
}

/**
 * Whether the first row is a header: it has no number where the rows below have their ids, or other numbers. Only where these
 * have none do its words decide, since a plant may have the name "Plant" or the tag "no"; and where these are unknown, whether
 * it has a text where the rows below have few, which are others.
 */
function looksLikeHeader([first = [], ...others]: readonly Cells[]): boolean {
  const titled = first.findIndex((title) => fieldOfTitle(title) === 'id');
  const idColumn = isNumeric(others, titled) ? titled : findIdColumn(others);
  if (idColumn !== undefined) return !isNumber(first[idColumn] ?? '');
  if (first.some(isNumber)) return false;
  if (first.some((title) => fieldOfTitle(title) !== undefined)) return true;
  const titles = first.filter((title) => title.trim() !== '');
  const areDistinct = titles.length > 0 && new Set(titles).size === titles.length;
  return (
    areDistinct &&
    first.some(
      (title, column) =>
        title.trim() !== '' && (isNumeric(others, column) || isOneOfFew(others, column, title)),
    )
  );
}

/**
 * The columns of the fields: by the titles of the header, and what these leave open by the content of the rows below, which
 * shows the id, the name and the tag alone. A column that is not found is `undefined`.
 */
function recognizeColumns(header: Cells | undefined, rows: readonly Cells[]): ColumnChoice {
  const titled = findTitledColumns(header ?? []);
  const taken = Object.values(titled);
  const id = titled.id ?? findIdColumn(rows, taken);
  const name = titled.name ?? findTextColumn(rows, [id, ...taken]);
  // Under a header that names no tag, any other column may be anything.
  const tag = titled.tag ?? (header === undefined ? findTextColumn(rows, [id, name]) : undefined);
  return { ...titled, id, name, tag };
}

function countColumns(rows: readonly Cells[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The first column in which most cells are numbers, and most of these different: ids, not prices. */
function findIdColumn(
  rows: readonly Cells[],
  taken: readonly (number | undefined)[] = [],
): number | undefined {
  return findColumn(rows, (column) => {
    if (taken.includes(column) || !isNumeric(rows, column)) return false;
    const cells = cellsOf(rows, column);
    return 2 * new Set(cells).size > cells.length;
  });
}

function isNumeric(rows: readonly Cells[], column: number): boolean {
  return 2 * cellsOf(rows, column).filter(isNumber).length > rows.length;
}

/** Whether a column has few texts, each several times, and the title is none of them. */
function isOneOfFew(rows: readonly Cells[], column: number, title: string): boolean {
  const cells = cellsOf(rows, column);
  return cells.length >= 5 && 2 * new Set(cells).size <= cells.length && !cells.includes(title);
}

/** The first other column in which a cell has letters. */
function findTextColumn(rows: readonly Cells[], taken: readonly (number | undefined)[]): number | undefined {
  return findColumn(
    rows,
    (column) => !taken.includes(column) && cellsOf(rows, column).some((cell) => /\p{L}/u.test(cell)),
  );
}

function cellsOf(rows: readonly Cells[], column: number): readonly string[] {
  return rows.map((row) => row[column] ?? '');
}

function findColumn(rows: readonly Cells[], matches: (column: number) => boolean): number | undefined {
  const count = countColumns(rows);
  for (let column = 0; column < count; column++) if (matches(column)) return column;
  return undefined;
}

/** Whether a cell is a number in any notation of a spreadsheet. */
export function isNumber(cell: string): boolean {
  return /^[+-]?\d[\d.,'\s]*(e[+-]?\d+)?$/i.test(toAsciiNumber(cell));
}
