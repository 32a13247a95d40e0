import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { guardText } from '@plant-store/contract/record-format';
import { fieldNames, type Texts } from '../../shared/fields.js';
import { withoutEmpty } from '../../shared/texts.js';
import { type Problem, readPlantTexts } from './check/read-plant.js';
import type { Reading } from './columns/recognize-columns.js';
import type { Line, Lines } from './lines.js';
import type { Table } from './read/read-source.js';

/** The added columns: the line number, the error number of the service, and the reason. */
const addedTitles = ['line', 'error', 'reason'] as const;

/**
 * Writes the lines with a problem in the format of the input (for a workbook, as CSV), with the line number, the reason, and the error
 * number of the service if the line was sent. All texts stay exact, so that the file can be fixed and imported.
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

function* readProblems({ all }: Lines): Generator<readonly [line: Line, problem: Problem]> {
  for (const line of all)
    if (line.problem !== undefined && line.state !== 'skipped') yield [line, line.problem];
}

function* writeCells(lines: Lines, delimiter: string): Generator<string> {
  const { table, reading } = lines;
  const titles = readHeader(table, reading);
  const hasAddedTitles = titles.slice(-addedTitles.length).join() === addedTitles.join();
  const keptCount = hasAddedTitles ? titles.length - addedTitles.length : titles.length;
  const quote = (cell: string) =>
    /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const writeRow = (cells: readonly string[]) => `${cells.map(quote).join(delimiter)}\r\n`;
  // Spreadsheets recognize UTF-8 only by a byte order mark.
  if (table.hasByteOrderMark || table.encoding !== 'UTF-8') yield '\ufeff';
  yield writeRow([...titles.slice(0, keptCount), ...addedTitles]);
  for (const [{ row, edited }, { error, reason }] of readProblems(lines)) {
    const isGuess = edited !== undefined || row.isBroken;
    const cells = edited ? editCells(row.isBroken ? [] : row.cells, reading, edited) : row.cells;
    const padded = Array.from({ length: keptCount }, (_, column) => cells[column] ?? '');
    // Surplus cells come last, because they would shift the added ones.
    const surplus = isGuess ? [] : cells.slice(titles.length);
    yield writeRow([...padded, String(row.line), String(error ?? ''), guardText(reason), ...surplus]);
  }
}

/** The cells of a line with the person's edits. */
function editCells(cells: readonly string[], { columns }: Reading, edited: Texts): readonly string[] {
  const edits = [...cells];
  for (const field of fieldNames) {
    const column = columns?.[field];
    if (column !== undefined) edits[column] = field === 'id' ? edited.id : guardText(edited[field]);
  }
  return edits;
}

/** Returns the header of the table, or if there is none, one that names the chosen columns. */
function readHeader({ rows }: Table, { columns, header }: Reading): readonly string[] {
  if (header !== undefined) return rows[header]?.cells.slice(0, columns?.count) ?? [];
  const names = new Map(fieldNames.map((name) => [columns?.[name], name]));
  return Array.from({ length: columns?.count ?? 0 }, (_, index) => names.get(index) ?? `column ${index + 1}`);
}

/** Matches the member that an earlier file of problems has at the end of each object. */
const addedMember = /,"rejected":\{"line":\d+,(?:"error":\d+,)?"reason":"(?:[^"\\]|\\.)*"\}\}$/;

function* writeObjects(lines: Lines): Generator<string> {
  for (const [{ row, edited }, { error, reason }] of readProblems(lines)) {
    const rejected = { line: row.line, error, reason };
    if (edited !== undefined) {
      const read = readPlantTexts(edited);
      yield `${stringifyExactJson({ ...('plant' in read ? read.plant : withoutEmpty(edited)), rejected })}\n`;
      continue;
    }
    const text = (row.cells[0] ?? '').trim().replace(addedMember, '}');
    // The member is appended as text, so that the line stays exactly as written.
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
