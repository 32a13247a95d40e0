import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { requiredTexts } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { ColumnChoice, ColumnsPreview, Preview } from '../../protocol.js';
import type { Table } from '../read/read-source.js';
import { fieldOfTitle, findTitledColumns, isNameOfField } from './synonyms.js';

type Cells = readonly string[];

/** Where a table has its header and its fields. */
export interface TableLayout {
  /** The header row, from 0; `undefined` if there is none. Rows above it are not read. */
  readonly header: number | undefined;
  /** The column of each field, and the number of columns. `undefined` for JSON objects, which name their fields. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
}

/** How many rows are examined to recognize the columns. */
const sampleRows = 100;

/** Returns the layout of a table: as the person chose it, or as recognized. */
export function chooseLayout(
  table: Table,
  chosen?: { readonly header: number | undefined; readonly columns?: ColumnChoice },
): TableLayout {
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
/** The limits of the preview in which the person chooses the header. `rowsBelowHeader` includes the header. */
const maxCells = 8;
const maxCellLength = 40;
const rowsBelowHeader = 5;

/** Describes the columns of a table, so that the person can choose their fields. */
export function describeColumns(table: Table, { columns, header }: TableLayout): ColumnsPreview | undefined {
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
 * Whether the columns need no review: the first row names the ID and the required fields exactly, without synonyms, and nothing else about
 * the source is in doubt. JSON objects have no columns to review.
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

/** The maximum number of rows above the header. They can contain, for example, the list's title and author. */
const maxRowsAboveHeader = 20;

/**
 * Finds the header row: the first row that names at least two fields and has more filled cells than each row above it. Otherwise the first
 * row if that looks like a header, or else the first row with the usual number of cells if that looks like a header.
 */
function findHeader(rows: readonly Cells[]): number | undefined {
  const widths = rows.map((row) => row.filter(isFilled).length);
  const usual = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0;
  const above = rows.slice(0, maxRowsAboveHeader);
  const isWidestYet = (row: number) => widths.slice(0, row).every((width) => width < (widths[row] ?? 0));
  const titled = above.findIndex((row, index) => isWidestYet(index) && countTitled(row) > 1);
  if (titled !== -1 && !(titled === 0 && !looksLikeHeader(rows))) return titled;
  if (looksLikeHeader(rows)) return 0;
  const wide = above.findIndex((_, index) => widths[index] === usual);
  return wide > 0 && usual > 1 && isWidestYet(wide) && looksLikeHeader(rows.slice(wide)) ? wide : undefined;
}

function countTitled(row: Cells): number {
  return Object.values(findTitledColumns(row)).filter((column) => column !== undefined).length;
}

/**
 * Whether the first row looks like a header. If the rows below it have an ID column, the first row must not have a number there. Otherwise
 * it must have no numbers, and either name a field, or have a text above a column of numbers or of only a few different texts. Numbers
 * decide before words, because a plant can have the name "Plant" or the tag "no".
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
      (title, column) => isFilled(title) && (isNumeric(others, column) || hasFewTexts(others, column, title)),
    )
  );
}

/**
 * Finds the column of each field by the header, or by the content of the rows, which can identify only the ID, name, and tag. A column that
 * is not found is `undefined`.
 */
function recognizeColumns(header: Cells | undefined, rows: readonly Cells[]): ColumnChoice {
  const titled = findTitledColumns(header ?? []);
  const taken = Object.values(titled);
  const id = titled.id ?? findIdColumn(rows, taken);
  const name = titled.name ?? findTextColumn(rows, [id, ...taken]);
  // If there is a header but it names no tag, the other columns can mean anything.
  const tag = titled.tag ?? (header === undefined ? findTextColumn(rows, [id, name]) : undefined);
  return { ...titled, id, name, tag };
}

function countColumns(rows: readonly Cells[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

/** Finds the first column whose numbers are mostly distinct. Repeated numbers are more likely to be prices than IDs. */
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

/** Whether more than half of the rows have a number in a column. */
function isNumeric(rows: readonly Cells[], column: number): boolean {
  return 2 * cellsOf(rows, column).filter(isNumber).length > rows.length;
}

/** How many rows it takes to recognize a column with only a few different texts. */
const minRepeatedCells = 5;

/** Whether a column has only a few different texts, on average at least twice each, and the title is not one of them. */
function hasFewTexts(rows: readonly Cells[], column: number, title: string): boolean {
  const cells = cellsOf(rows, column);
  return (
    cells.length >= minRepeatedCells && 2 * new Set(cells).size <= cells.length && !cells.includes(title)
  );
}

/** Finds the first column that is not taken and has letters. */
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

/** Whether a cell is a number in any spreadsheet notation. */
export function isNumber(cell: string): boolean {
  return /^[+-]?\d[\d.,'\s]*(e[+-]?\d+)?$/i.test(toAsciiNumber(cell));
}
