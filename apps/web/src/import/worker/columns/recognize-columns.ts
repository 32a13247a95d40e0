import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { requiredTexts } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { ColumnChoice, ColumnsPreview, Preview } from '../../protocol.js';
import type { Table } from '../read/read-source.js';
import { fieldOfTitle, findTitledColumns, isNameOfField } from './synonyms.js';

type Cells = readonly string[];

export interface Reading {
  /** The row with the titles, from 0. Rows above it are not read. */
  readonly header: number | undefined;
  /** The column of each field, and how many cells a row may have; `undefined` for objects, which name their fields. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
}

const sampleLength = 100;

/** How to read a table: as recognized, or as the person chose. */
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

/** The limits of what is shown: of titles and samples, the number of samples, and the cells of a line in the choice of titles. */
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
 * Whether the columns need no review: the first row has titles that name the id and the required fields exactly, and nothing else about the
 * source is in doubt. A number or another title may mean anything. Objects have no columns.
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
 * Whether the first row is a header: it has no number in a column in which the rows below have ids or other numbers. Its words only decide
 * if these rows have no numbers, because a plant may have the name "Plant" or the tag "no". If the words are unknown, it is a header if it
 * has a text in a column that has only a few other texts.
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
 * The columns of the fields: by the titles of the header, otherwise by the content of the rows below, which can only identify the id, the
 * name and the tag. A column that is not found is `undefined`.
 */
function recognizeColumns(header: Cells | undefined, rows: readonly Cells[]): ColumnChoice {
  const titled = findTitledColumns(header ?? []);
  const taken = Object.values(titled);
  const id = titled.id ?? findIdColumn(rows, taken);
  const name = titled.name ?? findTextColumn(rows, [id, ...taken]);
  // If a header names no tag, other columns may mean anything.
  const tag = titled.tag ?? (header === undefined ? findTextColumn(rows, [id, name]) : undefined);
  return { ...titled, id, name, tag };
}

function countColumns(rows: readonly Cells[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The first column in which most cells are numbers, and most of these are distinct: ids, not prices. */
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

/** Whether a column has few texts, each several times, and the title is not one of them. */
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
