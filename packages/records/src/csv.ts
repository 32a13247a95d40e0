/** A row of CSV (RFC 4180) with its cells exactly as they are written: nothing is trimmed or converted. */
interface CsvRow {
  readonly cells: readonly string[];
  /** The place behind its line break. */
  readonly end: number;
  /** How many lines it spans. */
  readonly lines: number;
  /** What is wrong with its quotes, if anything is: then its first line is the only cell. */
  readonly problem?: 'unclosed' | 'misplaced';
}

interface CsvLimits {
  /** A row has at most one cell more. */
  readonly columns: number;
  /** A quoted cell with more characters or lines is taken for a quote that somebody forgot to close. */
  readonly characters: number;
  readonly lines: number;
}

/** Reads the row that begins at a place. LF, CRLF, and CR each end a line. */
export function readCsvRow(text: string, start: number, delimiter: string, limits: CsvLimits): CsvRow {
  const lineEnd = /\r\n?|\n/g;
  lineEnd.lastIndex = start;
  const { index: end, 0: lineBreak } = lineEnd.exec(text) ?? { index: text.length, 0: '' };
  const first = text.slice(start, end);
  const next = end + lineBreak.length;
  if (!first.includes('"')) return { cells: first.split(delimiter, limits.columns + 1), end: next, lines: 1 };
  const quoted = readQuotedRow(text, start, delimiter, limits);
  return typeof quoted === 'string' ? { cells: [first], end: next, lines: 1, problem: quoted } : quoted;
}

function readQuotedRow(text: string, start: number, delimiter: string, limits: CsvLimits) {
  const cells: string[] = [];
  const cellEnd = new RegExp(`[${delimiter.replace(/[\\\]^-]/, '\\$&')}\r\n]`, 'g');
  for (let at = start; ; at++) {
    if (text[at] === '"') {
      const end = findClosingQuote(text, at + 1);
      const cell = text.slice(at + 1, end);
      if (end === -1 || cell.length > limits.characters || countBreaks(cell) > limits.lines)
        return 'unclosed';
      cells.push(cell.replaceAll('""', '"'));
      at = end + 1;
      while (text[at] === ' ' && delimiter !== ' ') at++;
    } else {
      cellEnd.lastIndex = at;
      const end = cellEnd.exec(text)?.index ?? text.length;
      cells.push(text.slice(at, end));
      at = end;
    }
    if (cells.length > limits.columns || at >= text.length || text[at] === '\n' || text[at] === '\r') {
      const end = at + (text.startsWith('\r\n', at) ? 2 : 1);
      return { cells, end, lines: countBreaks(text.slice(start, at)) + 1 };
    }
    if (text[at] !== delimiter) return 'misplaced';
  }
}

function findClosingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

/** How many line breaks a text has. */
export const countBreaks = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0;
