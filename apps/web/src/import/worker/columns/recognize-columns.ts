import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import type { ColumnChoice } from '../../protocol.js';
import { fieldOfTitle, findTitledColumns } from './synonyms.js';

type Cells = readonly string[];

/** How many rows may be above the titles, such as the name of the list and who keeps it. */
const mostAbove = 20;

/**
 * The row of the titles: the first one if it looks like a header; below rows with fewer cells, the first one with the titles of two
 * fields, or with as many cells as most others if that looks like one.
 */
export function findHeader(rows: readonly Cells[]): number | undefined {
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

/** How many fields have a title among the cells. */
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
export function recognizeColumns(header: Cells | undefined, rows: readonly Cells[]): ColumnChoice {
  const titled = findTitledColumns(header ?? []);
  const taken = Object.values(titled);
  const id = titled.id ?? findIdColumn(rows, taken);
  const name = titled.name ?? findTextColumn(rows, [id, ...taken]);
  // Under a header that names no tag, any other column may be anything.
  const tag = titled.tag ?? (header === undefined ? findTextColumn(rows, [id, name]) : undefined);
  return { ...titled, id, name, tag };
}

/** How many columns the rows have. */
export function countColumns(rows: readonly Cells[]): number {
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

/** Whether most cells of a column are numbers. */
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
function isNumber(cell: string): boolean {
  return /^[+-]?\d[\d.,'\s]*(e[+-]?\d+)?$/i.test(toAsciiNumber(cell));
}
