import { formatCount } from '../format-count.js';
import type { ReadAs, Source } from '../protocol.js';
import type { Pacer } from './pacer.js';
import { type DecodedText, decodeText, UnreadableFileError } from './reading/decode-text.js';
import { delimiterLine, detectFormat, type Format } from './reading/detect-format.js';
import { indexRecords, type RecordIndex } from './reading/index-records.js';
import { parseCells } from './reading/parse-cells.js';
import type { Sheet } from './reading/read-workbook.js';

/** The records of a file or text. Cells are parsed when they are needed, so that a large file fits. */
export interface Table extends DecodedText {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  readonly format: Format;
  readonly records: RecordIndex;
  /** How many records there are, a header among them. */
  readonly length: number;
  /** Of a workbook, whose text is CSV. */
  readonly sheet: Sheet | undefined;
}

/** The most that is read: within a tab's memory, and within what a person would wait for. */
const limits = { bytes: 100 * 1024 * 1024, records: 1_000_000 };

/**
 * Reads a file or a pasted text.
 *
 * @throws {UnreadableFileError} when it is empty, too large, or no text of plants
 */
export async function readTable(source: Source, pacer: Pacer, readAs: ReadAs = {}): Promise<Table> {
  const table =
    'file' in source ? await readFile(source.file, pacer, readAs) : await readText(source.text, pacer);
  const { length } = table;
  if (length === 0)
    throw new UnreadableFileError('There are no lines in it. Choose a file with plants, or paste them.');
  if (length > limits.records)
    throw new UnreadableFileError(
      tooLarge(`${formatCount(length)} lines`, `${formatCount(limits.records)} lines`),
    );
  return table;
}

/** How long the list of an archive's files is at least, at its end. */
const archiveListBytes = 65_536;

/** Whether a file is a workbook in XLSX, by its name or, under another one, by the list of what it contains. */
function isWorkbook(bytes: Uint8Array, fileName: string): boolean {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return false;
  const list = new TextDecoder('latin1').decode(bytes.subarray(-archiveListBytes));
  return /\.xls[xm]$/i.test(fileName) || list.includes('xl/workbook.xml');
}

async function readFile(file: File, pacer: Pacer, { sheet: name, encoding }: ReadAs): Promise<Table> {
  const { name: fileName, size } = file;
  if (size > limits.bytes) {
    throw new UnreadableFileError(tooLarge(`${formatCount(Math.ceil(size / 1024 / 1024))} MiB`, '100 MiB'));
  }
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new UnreadableFileError(
      'The file could not be read: it was changed, moved or removed. Choose it again.',
    );
  }
  if (!isWorkbook(bytes, fileName)) return readDecoded(decodeText(bytes, encoding), fileName, pacer);
  // Loaded only for it.
  const { readWorkbook } = await import('./reading/read-workbook.js');
  const sheet = await readWorkbook(bytes, name, pacer);
  const { text, records } = sheet;
  return {
    ...{ text, encoding: 'UTF-8', hasByteOrderMark: true, fileName, records, length: records.starts.length },
    ...{ format: { kind: 'delimited', delimiter: ',' }, sheet },
  };
}

async function readText(pasted: string, pacer: Pacer): Promise<Table> {
  const text = pasted.replace(/^\uFEFF/, '');
  return readDecoded({ text, encoding: 'UTF-8', hasByteOrderMark: false }, undefined, pacer);
}

async function readDecoded(decoded: DecodedText, fileName: string | undefined, pacer: Pacer): Promise<Table> {
  const format = detectFormat(decoded.text, fileName);
  const text = decoded.text.replace(delimiterLine, '');
  const records = await indexRecords(text, format, pacer);
  return { ...decoded, text, fileName, format, records, length: records.starts.length, sheet: undefined };
}

function tooLarge(size: string, limit: string): string {
  return `It has ${size}; the page takes ${limit} at a time. Split it, or ask the operator to import it with "plant-store import".`;
}

/** Whether each record is a JSON object instead of cells. */
export function isNdjson({ format }: Table): boolean {
  return format.kind === 'ndjson';
}

/** The number of a record's first line in the file, or of its row in the sheet, from 1 on. */
export function readLineNumber({ records }: Table, index: number): number {
  return records.lines[index] ?? 0;
}

/** Whether the quotes of a record are malformed, so that it is one line, and has no cells. */
export function isMalformed({ records }: Table, index: number): boolean {
  return records.malformed.has(index);
}

/** The cells of some records, in order; of one whose quotes are malformed, and of an NDJSON line, its text as the only cell. */
export function readCells(table: Table, from: number, to: number): readonly (readonly string[])[] {
  const { text, format, records } = table;
  const texts = Array.from({ length: to - from }, (_, index) =>
    text.slice(records.starts[from + index], records.ends[from + index]),
  );
  if (format.kind === 'ndjson') return texts.map((line) => [line]);
  const parsed = texts.map((line, index) => (isMalformed(table, from + index) ? '-' : line)).join('\n');
  const { rows } = parseCells(parsed, format.delimiter);
  return texts.map((line, index) => (isMalformed(table, from + index) ? [line] : (rows[index] ?? [line])));
}
