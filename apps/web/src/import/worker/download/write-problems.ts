import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { guardText } from '@plant-store/contract/record-format';
import Papa from 'papaparse';
import { fieldNames, type Texts } from '../../../shared/fields.js';
import { withoutEmpty } from '../../../shared/texts.js';
import { readPlantTexts } from '../check/read-plant.js';
import type { Reading } from '../columns/choose-reading.js';
import type { Lines, Problem } from '../lines.js';
import type { Pacer } from '../pacer.js';
import { isMalformed, isNdjson, readCells, readLineNumber, type Table } from '../table.js';

/** A file for the person to keep. */
export interface Download {
  readonly file: Blob;
  readonly fileName: string;
}

/** The columns that are added: the line in the file, the service's error number, and the reason. */
const addedTitles = ['line', 'error', 'reason'] as const;

/**
 * Writes the lines that were not stored in the format of the input, each with its line number, the number of the service's
 * error if it was sent, and the reason. What the person wrote is left exactly, so that the file can be fixed and added. A
 * workbook becomes CSV.
 */
export async function writeProblems(lines: Lines, pacer: Pacer): Promise<Download> {
  const { table, problems } = lines;
  const isJson = isNdjson(table);
  const writer = isJson ? createJsonWriter(lines) : createCellWriter(lines);
  const indexes = [...problems.keys()].sort((a, b) => a - b);
  const parts: string[] = writer.start;
  for (const [done, index] of indexes.entries()) {
    parts.push(writer.write(index, problems.get(index) ?? { reason: '' }));
    await pacer.pass(done / indexes.length);
  }
  const extension = isJson ? 'ndjson' : isTabs(table) ? 'tsv' : 'csv';
  const type = { ndjson: 'application/x-ndjson', tsv: 'text/tab-separated-values', csv: 'text/csv' }[
    extension
  ];
  const baseName = (table.fileName ?? 'plants').replace(/\.[^.]*$/, '');
  return {
    file: new Blob(parts, { type: `${type};charset=utf-8` }),
    fileName: `${baseName}-rejected.${extension}`,
  };
}

interface Writer {
  readonly start: string[];
  write(index: number, problem: Problem): string;
}

function isTabs({ format }: Table): boolean {
  return format.kind === 'delimited' && format.delimiter === '\t';
}

function createCellWriter({ table, reading, edits }: Lines): Writer {
  const delimiter = table.format.kind === 'delimited' ? table.format.delimiter : ',';
  const titles = readHeader(table, reading);
  const kept = endsWithAdded(titles) ? titles.length - addedTitles.length : titles.length;
  const writeRow = (cells: readonly string[]) =>
    `${Papa.unparse([cells], { delimiter, newline: '\r\n' })}\r\n`;
  // Spreadsheets read UTF-8 only behind a byte order mark.
  const hasMark = table.hasByteOrderMark || table.encoding !== 'UTF-8';
  return {
    start: [(hasMark ? '\ufeff' : '') + writeRow([...titles.slice(0, kept), ...addedTitles])],
    write(index, { error, reason }) {
      const edited = edits.get(index);
      const [read = []] = readCells(table, index, index + 1);
      const cells = edited ? editCells(isMalformed(table, index) ? [] : read, reading, edited) : read;
      const padded = Array.from({ length: kept }, (_, column) => cells[column] ?? '');
      const added = [String(readLineNumber(table, index)), error === undefined ? '' : String(error)];
      // What has more cells than columns would move the added ones: it goes behind them.
      const surplus = edited || isMalformed(table, index) ? [] : cells.slice(titles.length);
      return writeRow([...padded, ...added, guardText(reason), ...surplus]);
    },
  };
}

/** The cells of a line with what a person has written in place of some. */
function editCells(cells: readonly string[], { columns }: Reading, edited: Texts): readonly string[] {
  const all = [...cells];
  for (const field of fieldNames) {
    const column = columns?.[field];
    if (column !== undefined) all[column] = field === 'id' ? edited.id : guardText(edited[field]);
  }
  return all;
}

/** Where there is no header, one that names the chosen columns. */
function readHeader(table: Table, { columns, header }: Reading): readonly string[] {
  if (header !== undefined) return readCells(table, header, header + 1)[0]?.slice(0, columns?.count) ?? [];
  const names = new Map(fieldNames.map((name) => [columns?.[name], name]));
  return Array.from({ length: columns?.count ?? 0 }, (_, index) => names.get(index) ?? `column ${index + 1}`);
}

function endsWithAdded(titles: readonly string[]): boolean {
  return titles.slice(-addedTitles.length).join() === addedTitles.join();
}

/** What an earlier file of rejected lines has at the end of each. */
const addedMember = /,"rejected":\{"line":\d+,(?:"error":\d+,)?"reason":"(?:[^"\\]|\\.)*"\}\}$/;

function createJsonWriter({ table, edits }: Lines): Writer {
  return {
    start: [],
    write(index, { error, reason }) {
      const line = readLineNumber(table, index);
      const rejected = stringifyExactJson({ line, error, reason });
      const edited = edits.get(index);
      if (edited) {
        const plant = readPlantTexts(edited);
        const members = 'plant' in plant ? plant.plant : withoutEmpty(edited);
        return `${stringifyExactJson({ ...members, rejected: { line, error, reason } })}\n`;
      }
      const [[read = ''] = []] = readCells(table, index, index + 1);
      const text = read.trim().replace(addedMember, '}');
      // Added as text, so that nothing else of the line is written in another way.
      if (isJsonObject(text))
        return `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? '' : ','}"rejected":${rejected}}\n`;
      return `${stringifyExactJson({ text, rejected: { line, error, reason } })}\n`;
    },
  };
}

function isJsonObject(text: string): boolean {
  try {
    return text.startsWith('{') && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}
