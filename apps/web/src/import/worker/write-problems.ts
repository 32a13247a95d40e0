import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { guardText } from '@plant-store/contract/record-format';
import { fieldNames, type Texts } from '../../shared/fields.js';
import { withoutEmpty } from '../../shared/texts.js';
import { type Problem, readPlantTexts } from './check/read-plant.js';
import type { TableLayout } from './columns/recognize-columns.js';
import type { Line, Lines } from './lines.js';
import type { Table } from './read/read-source.js';

/** The added columns: the line number, the service's error number, and the reason. */
const addedTitles = ['line', 'error', 'reason'] as const;

/**
 * Writes the lines with a problem in the format of the input, or as CSV if the input is a workbook. Each has its line number, the reason,
 * and the service's error number if it was sent. All texts stay exact, so that a person can fix the file and import it.
 */
export function writeProblems(lines: Lines): { readonly file: Blob; readonly fileName: string } {
  const { fileName = 'plants', delimiter } = lines.table;
  const extension = delimiter === undefined ? 'ndjson' : delimiter === '\t' ? 'tsv' : 'csv';
  const type = { ndjson: 'application/x-ndjson', tsv: 'text/tab-separated-values', csv: 'text/csv' }[
    extension
  ];
  const parts = delimiter === undefined ? writeObjects(lines) : writeCells(lines, delimiter);
  return {
    file: new Blob([...parts], { type: `${type};charset=utf-8` }),
    fileName: `${fileName.replace(/\.[^.]*$/, '')}-problems.${extension}`,
  };
}

function* listProblems({ all }: Lines): Generator<readonly [line: Line, problem: Problem]> {
  for (const line of all)
    if (line.problem !== undefined && line.state !== 'skipped') yield [line, line.problem];
}

function* writeCells(lines: Lines, delimiter: string): Generator<string> {
  const { table, layout } = lines;
  const titles = readHeader(table, layout);
  const hasAddedTitles = titles.slice(-addedTitles.length).join() === addedTitles.join();
  const keptCount = hasAddedTitles ? titles.length - addedTitles.length : titles.length;
  const quote = (cell: string) =>
    /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const writeRow = (cells: readonly string[]) => `${cells.map(quote).join(delimiter)}\r\n`;
  // Spreadsheets recognize UTF-8 only by a byte order mark.
  if (table.hasByteOrderMark || table.encoding !== 'UTF-8') yield '\ufeff';
  yield writeRow([...titles.slice(0, keptCount), ...addedTitles]);
  for (const [{ row, edited }, { error, reason }] of listProblems(lines)) {
    const cells = edited ? editCells(row.isBroken ? [] : row.cells, layout, edited) : row.cells;
    const padded = Array.from({ length: keptCount }, (_, column) => cells[column] ?? '');
    // Cells beyond the header come last, because they would shift the added ones. An edited line keeps only its columns.
    const surplus = edited !== undefined || row.isBroken ? [] : cells.slice(titles.length);
    yield writeRow([...padded, String(row.line), String(error ?? ''), guardText(reason), ...surplus]);
  }
}

/** Returns the cells of a line with the person's edits. */
function editCells(cells: readonly string[], { columns }: TableLayout, edited: Texts): readonly string[] {
  const editedCells = [...cells];
  for (const field of fieldNames) {
    const column = columns?.[field];
    if (column !== undefined) editedCells[column] = field === 'id' ? edited.id : guardText(edited[field]);
  }
  return editedCells;
}

/** Returns the table's header. If there is none, returns one that names the columns by their fields. */
function readHeader({ rows }: Table, { columns, header }: TableLayout): readonly string[] {
  if (header !== undefined) return rows[header]?.cells.slice(0, columns?.count) ?? [];
  const names = new Map(fieldNames.map((name) => [columns?.[name], name]));
  return Array.from({ length: columns?.count ?? 0 }, (_, index) => names.get(index) ?? `column ${index + 1}`);
}

/** Matches the member that an earlier problem file added to the end of each object. */
const addedMember = /,"rejected":\{"line":\d+,(?:"error":\d+,)?"reason":"(?:[^"\\]|\\.)*"\}\}$/;

function* writeObjects(lines: Lines): Generator<string> {
  for (const [{ row, edited }, { error, reason }] of listProblems(lines)) {
    const rejected = { line: row.line, error, reason };
    if (edited !== undefined) {
      const read = readPlantTexts(edited);
      yield `${stringifyExactJson({ ...('plant' in read ? read.plant : withoutEmpty(edited)), rejected })}\n`;
      continue;
    }
    const text = (row.cells[0] ?? '').trim().replace(addedMember, '}');
    // Appends the member as text, so that the rest of the line stays exactly as written.
    if (isJsonObject(text))
      yield `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? '' : ','}"rejected":${stringifyExactJson(rejected)}}\n`;
    else yield `${stringifyExactJson({ text, rejected })}\n`;
  }
}

function isJsonObject(text: string): boolean {
  try {
    return text.startsWith('{') && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}
