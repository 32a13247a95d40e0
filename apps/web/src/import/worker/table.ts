import { formatCount } from '../format-count.js';
import type { Source } from '../protocol.js';
import type { Pacer } from './pacer.js';
import { type DecodedText, decodeText, UnreadableFileError } from './reading/decode-text.js';
import { detectFormat, type Format } from './reading/detect-format.js';
import { indexRecords, type RecordIndex } from './reading/index-records.js';
import { parseCells } from './reading/parse-cells.js';

/** The records of a file or text. Cells are parsed from the text when they are needed, so that a large file fits. */
export interface Table extends DecodedText {
  readonly fileName: string | undefined;
  readonly format: Format;
  readonly records: RecordIndex;
  /** How many records there are, a header among them. */
  readonly length: number;
}

/** The most that is read: within a tab's memory, and within what a person would wait for. */
const limits = { bytes: 100 * 1024 * 1024, records: 1_000_000 };

/**
 * Reads a file or a pasted text.
 *
 * @throws {UnreadableFileError} when it is empty, too large, or no text of plants
 */
export async function readTable(source: Source, pacer: Pacer): Promise<Table> {
  const decoded = 'file' in source ? await readFile(source.file) : fromPaste(source.text);
  const fileName = 'file' in source ? source.file.name : undefined;
  const format = detectFormat(decoded.text, fileName);
  const records = await indexRecords(decoded.text, format, pacer);
  const { length } = records.starts;
  if (length === 0)
    throw new UnreadableFileError('There are no lines in it. Choose a file with plants, or paste them.');
  if (length > limits.records)
    throw new UnreadableFileError(
      tooLarge(`${formatCount(length)} lines`, `${formatCount(limits.records)} lines`),
    );
  return { ...decoded, fileName, format, records, length };
}

async function readFile(file: File): Promise<DecodedText> {
  if (file.size > limits.bytes) {
    throw new UnreadableFileError(
      tooLarge(`${formatCount(Math.ceil(file.size / 1024 / 1024))} MiB`, '100 MiB'),
    );
  }
  let bytes: ArrayBuffer;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    throw new UnreadableFileError(
      'The file could not be read: it was changed, moved or removed. Choose it again.',
    );
  }
  return decodeText(new Uint8Array(bytes));
}

function fromPaste(text: string): DecodedText {
  return { text: text.replace(/^\uFEFF/, ''), encoding: 'UTF-8', hasByteOrderMark: false };
}

function tooLarge(size: string, limit: string): string {
  return `It has ${size}; the page takes ${limit} at a time. Split it, or ask the operator to import it with "plant-store import".`;
}

/** The text of a record exactly as it is in the file, without the line break after it. */
export function readText({ text, records }: Table, index: number): string {
  return text.slice(records.starts[index], records.ends[index]);
}

/** The number of a record's first line in the file, from 1 on. */
export function readLineNumber({ records }: Table, index: number): number {
  return records.lines[index] ?? 0;
}

/** The cells of some records, in order; of one whose quotes are malformed, its text as the only cell. */
export function readCells(table: Table, from: number, to: number): readonly (readonly string[])[] {
  const { format, records } = table;
  const texts = Array.from({ length: to - from }, (_, index) => readText(table, from + index));
  if (format.kind === 'ndjson') return texts.map((text) => [text]);
  const isMalformed = (index: number) => records.malformed.has(from + index);
  const parsed = texts.map((text, index) => (isMalformed(index) ? '-' : text)).join('\n');
  const { rows } = parseCells(parsed, format.delimiter);
  return texts.map((text, index) => (isMalformed(index) ? [text] : (rows[index] ?? [text])));
}
