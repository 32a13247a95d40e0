import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { shorten } from '@plant-store/contract/messages';
import { readCell, readInteger, recordColumnsOf } from '@plant-store/contract/record-format';
import { fieldsOf } from '@plant-store/contract/resource';
import Papa from 'papaparse';
import { OperatorError } from '../errors/operator-error.js';
import { type RecordLine, type RecordType, type RecordTypes, readAs } from './formats.js';

declare global {
  /** A DOM type that the type definitions of papaparse refer to. */
  type BufferSource = ArrayBufferView | ArrayBuffer;
}

type CsvLine = RecordLine & { readonly number: number; readonly bytes: number };

interface CsvOptions {
  readonly types: RecordTypes;
  /** The only resource to import. Default: all resources. */
  readonly onlyType?: RecordType | undefined;
  /** The delimiter, or `undefined` to detect a comma, semicolon, or tab. */
  readonly delimiter: string | undefined;
  /** The maximum row length in UTF-16 code units, including line breaks in quoted fields. */
  readonly maxLength: number;
  /** Called with the ignored columns, such as `the columns price, notes`, if there are any. */
  onUnused(columns: string): void;
}

/** The maximum number of columns, which no real table of records exceeds. */
const maxColumns = 1_000;

/** The maximum length of the column names that a message lists. */
const maxNamesLength = 500;

/**
 * Reads records from CSV or TSV (RFC 4180) in UTF-8 or UTF-16. The first line contains the column names. A delimiter line (`sep=;`), which
 * Excel can write, may come before the column names. If there is a column `resource`, it names each row's resource. Otherwise, all rows
 * belong to the first resource. An empty field counts as absent, so CSV does not distinguish an empty text from no text. The function reverses
 * the escaping of `guardText`. The number of a row that spans several lines is the number of its first line.
 *
 * @throws {OperatorError} if the encoding is neither UTF-8 nor UTF-16, if the file lacks required columns or has too many columns, or if a row
 * is too long or has an unterminated quoted field
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<CsvLine> {
  const { types, onlyType } = options;
  let columns: readonly (readonly [name: string, index: number])[] | undefined;
  for await (const { number, row, csvError } of parseRows(chunks, options)) {
    if (columns === undefined) {
      const names = row.map((name) => name.trim());
      if (options.delimiter === '\t' && names.length === 1 && /[,;]/.test(names[0] ?? ''))
        throw new OperatorError(
          `The first line has no tabs: ${listNames(names)}. Nothing was imported. If this is a CSV file, add --format csv.`,
        );
      columns = findColumns(names, types);
      const unused = names.filter((name) => !columns?.some(([column]) => isNamed(name, column)));
      const noun = unused.length === 1 ? 'the column' : 'the columns';
      if (unused.length > 0) options.onUnused(`${noun} ${listNames(unused)}`);
      continue;
    }
    if (row.every((field) => field.trim() === '')) continue;
    const cells = Object.fromEntries(columns.map(([name, index]) => [name, row[index] || undefined]));
    const line = readAs(cells, types, onlyType, (type) =>
      csvError === undefined
        ? type.read(readCells(cells, type))
        : { reason: `The line is not valid CSV: ${csvError}.` },
    );
    if (line !== undefined) yield { number, bytes: Buffer.byteLength(row.join('')), ...line };
  }
}

type Cells = Readonly<Record<string, string | undefined>>;

function readCells({ id, idText, addedAt, ...cells }: Cells, { resource }: RecordType): object {
  const values = fieldsOf(resource).map(([name, field]) => [name, readCell(field, cells[name] ?? '')]);
  return {
    id: id === undefined ? undefined : readInteger(id),
    idText: idText?.trim() || undefined,
    ...Object.fromEntries(values),
    addedAt,
  };
}

const isNamed = (name: string, column: string) => name.toLowerCase() === column.toLowerCase();

const columnList = new Intl.ListFormat('en-US');

/**
 * Returns the columns to read and their indexes in a row. The index of an absent column is -1. Column names are case-insensitive, and `idText`
 * can replace `id`. If there is a column `resource`, this function does not check the required fields, because they depend on each row's
 * resource, and that resource's schema checks them later.
 */
function findColumns(names: readonly string[], types: RecordTypes): [name: string, index: number][] {
  const indexOf = (column: string) => names.findIndex((name) => isNamed(name, column));
  const hasResource = indexOf('resource') !== -1;
  const [first] = types;
  if (names.length > maxColumns)
    throw new OperatorError(
      `The file has ${names.length.toLocaleString('en')} columns; the limit is ${maxColumns.toLocaleString('en')}. Keep only ${columnList.format(recordColumnsOf(first.resource))}, then import the file again.`,
    );
  const read = hasResource ? types : [first];
  const all = [...read.flatMap(({ resource }) => recordColumnsOf(resource)), 'idText'];
  const required = fieldsOf(first.resource).flatMap(([name, { required }]) =>
    required && !hasResource ? name : [],
  );
  const hasId = indexOf('id') !== -1 || indexOf('idText') !== -1;
  if (!hasId || required.some((column) => indexOf(column) === -1)) {
    const needed = ['id', ...required];
    const optional = all.filter((column) => !needed.includes(column));
    throw new OperatorError(
      `The first line must contain the column names. Required: ${columnList.format(needed)}. Found: ${listNames(names)}. Rename the columns and import the file again. Optional columns: ${columnList.format(optional)}.`,
    );
  }
  return [...new Set([...all, ...(hasResource ? ['resource'] : [])])].map((column) => [
    column,
    indexOf(column),
  ]);
}

function listNames(names: readonly string[]): string {
  return escapeInvisible(shorten(names.join(', '), maxNamesLength));
}

interface Row {
  /** The number of the row's first line. */
  readonly number: number;
  readonly row: readonly string[];
  readonly csvError: string | undefined;
}

/** Parses CSV rows one chunk at a time, when the caller needs them. */
async function* parseRows(
  chunks: AsyncIterable<Buffer>,
  { delimiter, maxLength }: CsvOptions,
): AsyncGenerator<Row> {
  let format: Papa.ParseConfig = { delimiter: delimiter ?? findDelimiter };
  let unfinished = '';
  let number = 1;
  for await (const { text, isLast } of decode(chunks, () => unfinished.length)) {
    let input = unfinished + text;
    const [declaration, declared] = (number === 1 && /^sep=(.)(?:\r\n?|\n)/i.exec(input)) || [];
    if (declaration !== undefined) {
      input = input.slice(declaration.length);
      format = { delimiter: declared };
      number = 2;
    }
    const parsed: Papa.ParseStepResult<string[]>[] = [];
    // Papa Parse removes a byte order mark at the start of its input. The added mark protects one that belongs to a field.
    Papa.parse<string[]>(`\uFEFF${input}`, { ...format, step: (result) => void parsed.push(result) });
    // The last row may be incomplete.
    if (!isLast) parsed.pop();
    const isQuoted = input.includes('"');
    for (const { data: row, errors } of parsed) {
      const [error] = errors;
      if (error?.code === 'MissingQuotes') throw unclosedQuoteError(number);
      yield { number, row, csvError: error?.message };
      number += isQuoted ? 1 + countLineBreaks(row) : 1;
    }
    const last = parsed.at(-1)?.meta;
    unfinished = input.slice(last?.cursor ?? 0);
    if (unfinished.length > maxLength) throw unclosedQuoteError(number, maxLength);
    // Later chunks use the delimiter and line break that the first rows revealed.
    if (last !== undefined) {
      const newline = lineBreaks.find((lineBreak) => lineBreak === last.linebreak);
      format = { delimiter: last.delimiter, newline };
    }
  }
}

const lineBreaks = ['\r\n', '\n', '\r'] as const;

/** Creates the error for an unclosed quoted field. Reading cannot continue after it, because the start of the next row is unknown. */
function unclosedQuoteError(number: number, maxLength?: number): OperatorError {
  const orTooLong =
    maxLength === undefined ? '' : `, or is longer than ${maxLength.toLocaleString('en')} characters`;
  return new OperatorError(
    `The quoted field that starts on line ${number} is never closed${orTooLong}. Add the closing double quote, or double the quote if it is part of the text. Then import the file again.`,
  );
}

/** Counts the line breaks within a row's fields. */
function countLineBreaks(row: readonly string[]): number {
  return row.reduce((count, field) => count + (field.match(/\r\n?|\n/g)?.length ?? 0), 0);
}

/** Returns the delimiter that is most frequent in the first line: a comma, semicolon, or tab. */
function findDelimiter(text: string): string {
  const [names = ''] = text.split(/[\r\n]/, 1);
  const count = (delimiter: string) => names.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, next) => (count(next) > count(most) ? next : most));
}

/** The length at which collected text is parsed even if a longer unfinished row precedes it, in UTF-16 code units. */
const maxTextLength = 2 ** 22;

/**
 * Decodes UTF-8 text, or UTF-16 text that begins with a byte order mark, and removes the mark.
 *
 * @param unfinishedLength returns how much text of an unfinished row will be parsed again with the next part. Each part is at least that long,
 * up to `maxTextLength`, so that parsing a long row does not take quadratic time
 */
async function* decode(
  chunks: AsyncIterable<Buffer>,
  unfinishedLength: () => number,
): AsyncGenerator<{ readonly text: string; readonly isLast: boolean }> {
  let decoder: TextDecoder | undefined;
  let text = '';
  try {
    for await (const chunk of chunks) {
      // Excel saves "Unicode text" in UTF-16.
      const mark = chunk.toString('hex', 0, 2);
      const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
      decoder ??= new TextDecoder(encoding, { fatal: true });
      text += decoder.decode(chunk, { stream: true });
      const isEnough = text.length >= unfinishedLength() && !text.endsWith('\r');
      if (!isEnough && text.length < maxTextLength) continue;
      yield { text, isLast: false };
      text = '';
    }
    yield { text: text + (decoder?.decode() ?? ''), isLast: true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError('The file is not encoded in UTF-8. Save it as UTF-8 and import it again.', {
      cause: error,
    });
  }
}
