import { formatCount } from '../../format-count.js';
import { UnreadableFileError } from './file-kinds.js';

/** A row of cells. A JSON object is a row with one cell: its text. */
export interface Row {
  /** The number of the row's first line in the file, or of the row in the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether a quote is not closed, or is closed before the end of its cell. If so, the only cell is the raw text of the line. */
  readonly isBroken?: boolean;
  /** The columns whose numbers the spreadsheet may have rounded. */
  readonly rounded?: readonly number[] | undefined;
}

/** The maximum number of rows, without the header. More would not fit into a tab's memory. */
export const maxRows = 100_000;
/** The maximum number of columns, more than any real table of plants has. */
export const maxColumns = 1_000;
/** A quoted cell with more characters or line breaks than this counts as an unclosed quote. */
const maxQuotedLength = 2 ** 20;
const maxQuotedLines = 1_000;

/**
 * Reads the nonblank rows of a CSV text (RFC 4180). Does not trim or convert cells. LF, CRLF, and CR each end a line. An unclosed quote
 * makes only its own line unreadable. A row has at most `maxColumns` + 1 cells.
 *
 * @param limit the maximum number of rows to read
 */
export function readRows(text: string, delimiter: string, limit = Infinity): Row[] {
  const rows: Row[] = [];
  const lineEnd = /\r\n?|\n/g;
  let line = 1;
  for (let start = 0; start < text.length && rows.length < limit; ) {
    lineEnd.lastIndex = start;
    let { index: end } = lineEnd.exec(text) ?? { index: text.length };
    const first = text.slice(start, end);
    const quoted = first.includes('"') ? readQuotedRow(text, start, delimiter) : undefined;
    const isBroken = quoted === undefined && first.includes('"');
    const cells = quoted?.cells ?? (isBroken ? [first] : first.split(delimiter, maxColumns + 1));
    if (cells.some((cell) => cell.trim() !== ''))
      rows.push(isBroken ? { line, cells, isBroken } : { line, cells });
    if (quoted !== undefined) {
      line += countBreaks(text.slice(start, quoted.end));
      end = quoted.end;
    }
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
    line++;
  }
  return rows;
}

/** Reads a row with quotes. Returns the cells and the index of the row's end, or `undefined` if a quote is wrong. */
function readQuotedRow(text: string, start: number, delimiter: string) {
  const cells: string[] = [];
  const cellEnd = new RegExp(`[${delimiter.replace(/[\\\]^-]/, '\\$&')}\r\n]`, 'g');
  for (let position = start; ; position++) {
    if (text[position] === '"') {
      const end = findClosingQuote(text, position + 1);
      const cell = text.slice(position + 1, end);
      if (end === -1 || cell.length > maxQuotedLength || countBreaks(cell) > maxQuotedLines) return undefined;
      cells.push(cell.replaceAll('""', '"'));
      position = end + 1;
      while (text[position] === ' ' && delimiter !== ' ') position++;
    } else {
      cellEnd.lastIndex = position;
      const end = cellEnd.exec(text)?.index ?? text.length;
      cells.push(text.slice(position, end));
      position = end;
    }
    if (
      cells.length > maxColumns ||
      position >= text.length ||
      text[position] === '\n' ||
      text[position] === '\r'
    )
      return { cells, end: position };
    if (text[position] !== delimiter) return undefined;
  }
}

function findClosingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

const countBreaks = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0;

/** Reads JSON objects, one per line or from an array, as texts. Items are split without parsing, so an item can be invalid. */
export function readObjects(text: string): Row[] {
  const arrayStart = /^\s*\[/.exec(text)?.[0].length ?? 0;
  const items = arrayStart === 0 ? text.split(/\r\n?|\n/) : splitArray(text.slice(arrayStart));
  let line = 1 + countBreaks(text.slice(0, arrayStart));
  const rows: Row[] = [];
  for (const item of items) {
    const blank = /^\s*/.exec(item)?.[0] ?? '';
    if (blank !== item) rows.push({ line: line + countBreaks(blank), cells: [item.trim()] });
    line += arrayStart === 0 ? 1 : countBreaks(item);
  }
  return rows;
}

/** Splits the text after an array's opening bracket at the commas between its items. */
function splitArray(text: string): readonly string[] {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: part, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs)) {
    if (depth === 0 && (part === ',' || part === ']')) {
      items.push(text.slice(start, index));
      start = index + 1;
      if (part === ']') return items;
    }
    if (part === '[' || part === '{') depth++;
    else if (part === ']' || part === '}') depth--;
  }
  return [...items, text.slice(start)];
}

export function tooManyRowsError(): UnreadableFileError {
  return new UnreadableFileError(
    `There are more than ${formatCount(maxRows)} lines. Split them into smaller files, or use the command line: plant-store import`,
  );
}

/** The delimiters in order of preference. Semicolons come before commas, because texts contain commas more often. */
const delimiters = ['\t', ';', ',', '|'];

/** How many rows are examined to guess the delimiter. */
const delimiterSampleRows = 20;

/** Guesses the delimiter: the one that splits the most of the first rows into the same number of cells, and more than one. */
export function guessDelimiter(start: string): string {
  const counts = delimiters.map((delimiter) => {
    const widths = readRows(start, delimiter, delimiterSampleRows).flatMap(({ cells: { length } }) =>
      length > 1 ? length : [],
    );
    return Math.max(0, ...widths.map((width) => widths.filter((other) => other === width).length));
  });
  const most = Math.max(...counts);
  return most === 0 ? ',' : (delimiters[counts.indexOf(most)] ?? ',');
}
