import { formatCount } from '../../format-count.js';
import type { Pacer } from '../pacer.js';
import { UnreadableFileError } from './decode-text.js';
import type { Format } from './detect-format.js';
import { indexLines, type LineIndex, Uint32List } from './index-lines.js';
import { parseCells } from './parse-cells.js';

/** Where each record of a text is: one NDJSON line, or one row of cells, which may span lines within quotes. */
export interface RecordIndex {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The number of each record's first line in the file, from 1 on. */
  readonly lines: Uint32Array;
  /** The records whose quotes are not closed, or closed in the middle of a cell: each is one line. */
  readonly malformed: ReadonlySet<number>;
}

/** Lines are parsed together as long as each is one record: first this many, and of those where one is not, fewer. */
const blockLines = 500;
const smallBlockLines = 20;
/** Of long lines there are fewer, so that what is parsed at once fits into memory. */
const maxBlockLength = 1024 * 1024;
const maxLineMiB = 4;
/** More than a table of plants has, whatever else it has of them. */
export const maxColumns = 1000;
/** A quoted cell that spans more than this is taken for a quote that somebody forgot to close. */
const maxSpannedLines = 1000;
const maxSpannedLength = 1024 * 1024;

/**
 * Finds the records of a text, without those that are blank. A quote that is never closed spoils its own line only, not the
 * rest of the file.
 *
 * @param pacer gets the fraction that is done
 * @throws {UnreadableFileError} at a line that is too long, or has too many columns
 */
export async function indexRecords(text: string, format: Format, pacer: Pacer): Promise<RecordIndex> {
  const lines = indexLines(text);
  const builder = new Builder(text, lines, format.kind === 'ndjson' ? undefined : format.delimiter);
  const { length } = lines.starts;
  for (let line = 0; line < length; ) {
    line = builder.addBlock(line, builder.findBlockEnd(line));
    await pacer.pass(line / length);
  }
  return builder.build();
}

class Builder {
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #delimiter: string | undefined;
  readonly #starts = new Uint32List();
  readonly #ends = new Uint32List();
  readonly #numbers = new Uint32List();
  readonly #malformed = new Set<number>();

  constructor(text: string, lines: LineIndex, delimiter: string | undefined) {
    this.#text = text;
    this.#lines = lines;
    this.#delimiter = delimiter;
  }

  build(): RecordIndex {
    return {
      starts: this.#starts.toArray(),
      ends: this.#ends.toArray(),
      lines: this.#numbers.toArray(),
      malformed: this.#malformed,
    };
  }

  /** The line after the last one of a block that begins with a line. */
  findBlockEnd(from: number): number {
    const { starts, ends } = this.#lines;
    const start = starts[from] ?? 0;
    if ((ends[from] ?? 0) - start > maxLineMiB * 1024 * 1024)
      throw new UnreadableFileError(
        `Line ${from + 1} is longer than ${maxLineMiB} MiB. Check the line breaks of the file, and choose it again.`,
      );
    let to = from + 1;
    while (to < starts.length && to < from + blockLines && (ends[to] ?? 0) - start <= maxBlockLength) to++;
    return to;
  }

  /** Adds the records that begin in some lines, and gives the line after the last of them. */
  addBlock(from: number, to: number): number {
    if (this.#delimiter === undefined || this.#isOneRecordPerLine(from, to, this.#delimiter)) {
      for (let line = from; line < to; line++) {
        if (this.#delimiter !== undefined) this.#checkColumns(line, line, this.#delimiter);
        this.#push(line, line);
      }
      return to;
    }
    if (to - from > smallBlockLines) return this.#addSmallBlocks(from, to);
    let line = from;
    while (line < to) {
      const last = this.#findLastLine(line, this.#delimiter);
      if (last === undefined) this.#malformed.add(this.#starts.length);
      else this.#checkColumns(line, last, this.#delimiter);
      this.#push(line, last ?? line);
      line = (last ?? line) + 1;
    }
    return line;
  }

  #addSmallBlocks(from: number, to: number): number {
    let line = from;
    while (line < to) line = this.addBlock(line, Math.min(line + smallBlockLines, to));
    return line;
  }

  #isOneRecordPerLine(from: number, to: number, delimiter: string): boolean {
    const block = Array.from({ length: to - from }, (_, index) => this.#slice(from + index, from + index));
    const text = block.join('\n');
    if (!text.includes('"')) return true;
    const { rows, quotes } = parseCells(text, delimiter);
    return quotes === 'right' && rows.length === block.length;
  }

  /** The last line of the record that begins in a line, or `undefined` if its quotes are malformed. */
  #findLastLine(first: number, delimiter: string): number | undefined {
    const end = Math.min(first + maxSpannedLines, this.#lines.starts.length);
    for (let last = first; last < end; last++) {
      // Only a further quote can close one that is open, and not one that is written twice.
      if (last > first && !this.#slice(last, last).replaceAll('""', '').includes('"')) continue;
      const text = this.#slice(first, last);
      if (last > first && text.length > maxSpannedLength) return undefined;
      const { quotes } = parseCells(text, delimiter);
      if (quotes === 'right') return last;
      if (quotes === 'malformed') return undefined;
    }
    return undefined;
  }

  #slice(first: number, last: number): string {
    return this.#text.slice(this.#lines.starts[first], this.#lines.ends[last]);
  }

  #checkColumns(first: number, last: number, delimiter: string): void {
    const text = this.#slice(first, last);
    if (text.length < maxColumns) return;
    const [cells = []] = text.includes('"') ? parseCells(text, delimiter).rows : [text.split(delimiter)];
    if (cells.length > maxColumns) throw tooManyColumns(first + 1);
  }

  #push(first: number, last: number): void {
    if (isBlank(this.#slice(first, last), this.#delimiter)) return;
    this.#starts.push(this.#lines.starts[first] ?? 0);
    this.#ends.push(this.#lines.ends[last] ?? 0);
    this.#numbers.push(first + 1);
  }
}

/** The error for a line or a row of a sheet, by its number. */
export function tooManyColumns(number: number): UnreadableFileError {
  return new UnreadableFileError(
    `Line ${number} has more than ${formatCount(maxColumns)} columns. Keep those to import, and choose the file again.`,
  );
}

/** Whether a line has nothing but white space and delimiters, as spreadsheets write empty rows. */
function isBlank(text: string, delimiter: string | undefined): boolean {
  if (text.length > 1000) return false;
  return (delimiter === undefined ? text : text.replaceAll(delimiter, '')).trim() === '';
}
