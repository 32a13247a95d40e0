import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { requiredTexts } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { ColumnChoice, ColumnsPreview, Preview } from '../../protocol.js';
import type { Table } from '../read/read-source.js';
import { fieldOfTitle, findTitledColumns, isNameOfField } from './synonyms.js';

type Cells = readonly string[];

export interface Reading {
  /** The header row, from 0. Rows above it are not read. */
  readonly header: number | undefined;
  /** The column of each field, and the number of columns. `undefined` for objects, which name their fields. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
}

/** The number of rows from which columns are recognized. */
const sampleRows = 100;

/** Decides how to read a table: as the person chose, or as recognized. */
export function chooseReading(
  table: Table,
  chosen?: { readonly header: number | undefined; readonly columns?: ColumnChoice },
): Reading {
  if (table.delimiter === undefined) return { columns: undefined, header: undefined };
  const start = table.rows.slice(0, sampleRows).map(({ cells }) => cells);
  const header = chosen === undefined ? findHeader(start) : chosen.header;
  const { titles, rows } = readSample(table, header);
  const columns = chosen?.columns ?? recognizeColumns(titles, rows);
  const last = titles?.findLastIndex(isFilled) ?? countColumns(rows) - 1;
  return { header, columns: { ...columns, count: last + 1 } };
}

/** The maximum length of a header or sample, in characters. */
const maxTitleLength = 60;
const maxSamples = 3;
/** The limits of the lines from which the person chooses the header. */
const maxCells = 8;
const maxCellLength = 40;
const rowsBelowHeader = 5;

/** Describes the columns of a table, so that the person can choose their fields. */
export function describeColumns(table: Table, { columns, header }: Reading): ColumnsPreview | undefined {
  if (columns === undefined) return undefined;
  const { titles, rows } = readSample(table, header);
  const { count, ...choice } = columns;
  const described = Array.from({ length: count }, (_, column) => ({
    column,
    title: toVisible(titles?.[column]?.trim() ?? '', maxTitleLength),
    samples: rows
      .map((cells) => cells[column] ?? '')
      .filter(isFilled)
      .slice(0, maxSamples)
      .map((cell) => toVisible(cell, maxTitleLength)),
  }));
  const filled = described.filter((each) => each.title !== '' || each.samples.length > 0);
  return {
    header,
    choice,
    firstRows: table.rows.slice(0, (header ?? 0) + rowsBelowHeader).map(({ line, cells }, row) => ({
      row,
      line,
      cells: cells
        .slice(0, Math.min(maxCells, cells.findLastIndex(isFilled) + 1))
        .map((cell) => toVisible(cell, maxCellLength)),
    })),
    columns: filled.map((each) => ({ ...each, title: each.title || `Column ${each.column + 1}` })),
  };
}

/**
 * Whether the columns need no review: the first row names the ID and the required fields exactly, and nothing else about the source is in
 * doubt. Synonyms need a review. Objects have no columns.
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

/** Returns the header, if there is one, and the first rows below it. */
function readSample({ rows }: Table, header: number | undefined) {
  const from = header ?? 0;
  const [first = [], ...others] = rows.slice(from, from + sampleRows).map(({ cells }) => cells);
  return header === undefined
    ? { titles: undefined, rows: [first, ...others] }
    : { titles: first, rows: others };
}

/** The maximum number of rows above the header, for example with the title of the list and its author. */
const maxRowsAboveHeader = 20;

/**
 * Finds the header row. It is the first row that names two fields, if all rows above it have fewer cells. Otherwise it is the first row if
 * that looks like a header, or else the first row with the usual number of cells if that looks like one.
 */
function findHeader(rows: readonly Cells[]): number | undefined {
  const widths = rows.map((row) => row.filter(isFilled).length);
  const usual = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0;
  const above = rows.slice(0, maxRowsAboveHeader);
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
 * Whether the first row looks like a header. If the rows below have a column of IDs, it must not have a number there. Otherwise it must
 * have no numbers, and either a known word, or a text above a column of numbers or of only a few different texts. Numbers decide before
 * words, because a plant may have the name "Plant" or the tag "no".
 */
function looksLikeHeader([first = [], ...others]: readonly Cells[]): boolean {
  const titled = first.findIndex((title) => fieldOfTitle(title) === 'id');
  const idColumn = isNumeric(others, titled) ? titled : findIdColumn(others);
  if (idColumn !== undefined) return !isNumber(first[idColumn] ?? '');
  if (first.some(isNumber)) return false;
  if (first.some((title) => fieldOfTitle(title) !== undefined)) return true;
  const titles = first.filter(isFilled);
  const areDistinct = titles.length > 0 && new Set(titles).size === titles.length;
  return (
    areDistinct &&
    first.some(
      (title, column) => isFilled(title) && (isNumeric(others, column) || isOneOfFew(others, column, title)),
    )
  );
}

/**
 * Finds the columns of the fields by the header, or by the content of the rows, which can only identify ID, name, and tag. A column that is
 * not found is `undefined`.
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

/** Finds the first column with mostly numbers that are mostly distinct, so that they are IDs and not prices. */
function findIdColumn(
  rows: readonly Cells[],
  taken: readonly (number | undefined)[] = [],
): number | undefined {
  return findColumn(
    rows,
    taken,
    (column) => isNumeric(rows, column) && 2 * new Set(cellsOf(rows, column)).size > rows.length,
  );
}

function isNumeric(rows: readonly Cells[], column: number): boolean {
  return 2 * cellsOf(rows, column).filter(isNumber).length > rows.length;
}

/** The minimum number of cells to recognize a column with only a few texts. */
const minRepeatedCells = 5;

/** Whether a column has only a few different texts, each several times, and the header is not one of them. */
function isOneOfFew(rows: readonly Cells[], column: number, title: string): boolean {
  const cells = cellsOf(rows, column);
  return (
    cells.length >= minRepeatedCells && 2 * new Set(cells).size <= cells.length && !cells.includes(title)
  );
}

/** Finds the first other column that has letters. */
function findTextColumn(rows: readonly Cells[], taken: readonly (number | undefined)[]): number | undefined {
  return findColumn(rows, taken, (column) => cellsOf(rows, column).some((cell) => /\p{L}/u.test(cell)));
}

function cellsOf(rows: readonly Cells[], column: number): readonly string[] {
  return rows.map((row) => row[column] ?? '');
}

function findColumn(
  rows: readonly Cells[],
  taken: readonly (number | undefined)[],
  matches: (column: number) => boolean,
): number | undefined {
  const columns = Array.from({ length: countColumns(rows) }, (_, column) => column);
  return columns.find((column) => !taken.includes(column) && matches(column));
}

const isFilled = (cell: string) => cell.trim() !== '';

/** Whether a cell is a number in any notation of a spreadsheet. */
export function isNumber(cell: string): boolean {
  return /^[+-]?\d[\d.,'\s]*(e[+-]?\d+)?$/i.test(toAsciiNumber(cell));
}
