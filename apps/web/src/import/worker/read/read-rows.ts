import { formatCount } from '../../format-count.js';
import { UnreadableFileError } from './file-kinds.js';

/** A row of cells, or an object as its text in the only cell. */
export interface Row {
  /** The number of its first line in the file, or of its row in the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether its quotes are unclosed, or closed within a cell. Its first line is then the only cell. */
  readonly isBroken?: boolean;
  /** The columns whose numbers the spreadsheet may have rounded. */
  readonly rounded?: readonly number[] | undefined;
}

/** As many rows as fit into a tab and a person can review. The title row does not count. */
export const maxRows = 100_000;
/** More columns than any real table of plants has. */
export const maxColumns = 1_000;
/** A quoted cell that is longer, or has more lines, is treated as an unclosed quote. */
const longestQuote = { characters: 2 ** 20, lines: 1_000 };

/**
 * The nonblank rows of a text, with their cells exactly as written (RFC 4180): nothing is trimmed or converted. LF, CRLF, and CR each end a
 * line. An unclosed quote only breaks its own line. A row has at most one cell more than `maxColumns`.
 *
 * @param most how many rows are read
 */
export function readRows(text: string, delimiter: string, most = Infinity): Row[] {
  const rows: Row[] = [];
  const lineEnd = /\r\n?|\n/g;
  let line = 1;
  for (let start = 0; start < text.length && rows.length < most; ) {
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

/** The cells of a row that has quotes, and where it ends; `undefined` if its quotes are wrong. */
function readQuotedRow(text: string, start: number, delimiter: string) {
  const cells: string[] = [];
  const cellEnd = new RegExp(`[${delimiter.replace(/[\\\]^-]/, '\\$&')}\r\n]`, 'g');
  for (let at = start; ; at++) {
    if (text[at] === '"') {
      const end = findClosingQuote(text, at + 1);
      const cell = text.slice(at + 1, end);
      if (end === -1 || cell.length > longestQuote.characters || countBreaks(cell) > longestQuote.lines)
        return undefined;
      cells.push(cell.replaceAll('""', '"'));
      at = end + 1;
      while (text[at] === ' ' && delimiter !== ' ') at++;
    } else {
      cellEnd.lastIndex = at;
      const end = cellEnd.exec(text)?.index ?? text.length;
      cells.push(text.slice(at, end));
      at = end;
    }
    if (cells.length > maxColumns || at >= text.length || text[at] === '\n' || text[at] === '\r')
      return { cells, end: at };
    if (text[at] !== delimiter) return undefined;
  }
}

function findClosingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

const countBreaks = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0;

/** Objects, one on each line; or the items of a list (`[…]`), each with all that is between two commas. */
export function readObjects(text: string): Row[] {
  const list = /^\s*\[/.exec(text)?.[0].length ?? 0;
  const items = list === 0 ? text.split(/\r\n?|\n/) : splitList(text.slice(list));
  let line = 1 + countBreaks(text.slice(0, list));
  const rows: Row[] = [];
  for (const item of items) {
    const blank = /^\s*/.exec(item)?.[0] ?? '';
    if (blank !== item) rows.push({ line: line + countBreaks(blank), cells: [item.trim()] });
    line += list === 0 ? 1 : countBreaks(item);
  }
  return rows;
}

/** The items of a list behind its opening bracket. */
function splitList(text: string): readonly string[] {
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

export function tooManyRows(): UnreadableFileError {
  return new UnreadableFileError(
    `There are more than ${formatCount(maxRows)} lines. Split them into smaller files, or use the command line: plant-store import`,
  );
}

/** In order of preference, if several delimiters fit the same lines: texts contain commas more often than semicolons. */
const delimiters = ['\t', ';', ',', '|'];

/** The delimiter that gives most of the first lines the same number of cells. Lines above the titles may differ. */
export function guessDelimiter(start: string): string {
  const counts = delimiters.map((delimiter) => {
    const widths = readRows(start, delimiter, 20).flatMap(({ cells: { length } }) =>
      length > 1 ? length : [],
    );
    return Math.max(0, ...widths.map((width) => widths.filter((other) => other === width).length));
  });
  const most = Math.max(...counts);
  return most === 0 ? ',' : (delimiters[counts.indexOf(most)] ?? ',');
}
