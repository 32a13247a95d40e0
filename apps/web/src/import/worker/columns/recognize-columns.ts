import type { ColumnChoice } from '../../protocol.js';
import { type Field, fieldOfTitle } from './synonyms.js';

type Cells = readonly string[];

/**
 * Whether the first row is a header: it has no number where the rows below have their ids. Only where these have none do
 * its words decide, since a plant may have the name "Plant" or the tag "no".
 */
export function looksLikeHeader([first = [], ...others]: readonly Cells[]): boolean {
  const titled = first.findIndex((title) => fieldOfTitle(title) === 'id');
  const idColumn = isIdColumn(others, titled) ? titled : findIdColumn(others);
  if (idColumn !== undefined) return !isNumber(first[idColumn] ?? '');
  return first.some((title) => fieldOfTitle(title) !== undefined) && !first.some(isNumber);
}

/**
 * The columns of the fields: by the titles of the header, and what these leave open by the content of the rows below. A
 * column that is not found is `undefined`.
 */
export function recognizeColumns(header: Cells | undefined, rows: readonly Cells[]): ColumnChoice {
  const titles = header ?? [];
  const titled = (field: Field) => {
    const exact = titles.findIndex((title) => title.trim().toLowerCase() === field);
    const found = exact === -1 ? titles.findIndex((title) => fieldOfTitle(title) === field) : exact;
    return found === -1 ? undefined : found;
  };
  const id = titled('id') ?? findIdColumn(rows);
  const name = titled('name') ?? findTextColumn(rows, [id, titled('tag')]);
  // Under a header that names no tag, any other column may be anything.
  const tag = titled('tag') ?? (header === undefined ? findTextColumn(rows, [id, name]) : undefined);
  return { id, name, tag };
}

/** How many columns the rows have. */
export function countColumns(rows: readonly Cells[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The first column in which most cells are numbers. */
function findIdColumn(rows: readonly Cells[]): number | undefined {
  return findColumn(rows, (column) => isIdColumn(rows, column));
}

/** Whether most cells of a column are numbers. */
function isIdColumn(rows: readonly Cells[], column: number): boolean {
  return 2 * rows.filter((row) => isNumber(row[column] ?? '')).length > rows.length;
}

/** The first other column in which a cell has letters. */
function findTextColumn(rows: readonly Cells[], taken: readonly (number | undefined)[]): number | undefined {
  return findColumn(
    rows,
    (column) => !taken.includes(column) && rows.some((row) => /\p{L}/u.test(row[column] ?? '')),
  );
}

function findColumn(rows: readonly Cells[], matches: (column: number) => boolean): number | undefined {
  const count = countColumns(rows);
  for (let column = 0; column < count; column++) if (matches(column)) return column;
  return undefined;
}

/** Whether a cell is a number in any notation of a spreadsheet. */
function isNumber(cell: string): boolean {
  return /^\s*[+-]?\d[\d.,'\s]*(e[+-]?\d+)?\s*$/i.test(cell);
}
