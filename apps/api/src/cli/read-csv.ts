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
  /** The resource whose lines are read; all by default. */
  readonly only?: RecordType | undefined;
  /** `undefined` to detect a comma, semicolon, or tab. */
  readonly delimiter: string | undefined;
  /** Maximum length of a row, including the line breaks in its quoted fields, in UTF-16 code units. */
  readonly maxLength: number;
  /** Called with the columns that are ignored, if any, such as `the columns price, notes`. */
  onUnused(columns: string): void;
}

/** More columns than any real table of records has. */
const maxColumns = 1_000;

const maxNamesLength = 500;

/**
 * Reads records from CSV or TSV in UTF-8 or UTF-16 (RFC 4180). The first line names the columns; a delimiter line as Excel writes it
 * (`sep=;`) may precede it. The column `resource` names the resource of a row; without it, all rows are of the first resource. An empty
 * field counts as absent, so a record without a text and one with an empty text are the same. Undoes the escaping of `guardText`. A row
 * that spans several lines has the number of the first one.
 *
 * @throws {OperatorError} when the file is in neither encoding, lacks required columns or has too many, or a row is too long or has an
 * unterminated quoted field
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<CsvLine> {
  const { types, only } = options;
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
    const line = readAs(cells, types, only, (type) =>
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
 * The columns to read, and their index in a row, or -1 if absent. Column names are case-insensitive, and `idText` can replace `id`. If a
 * column names the resource of each row, the schema of that resource checks the required fields.
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
  /** Of its first line. */
  readonly number: number;
  readonly row: readonly string[];
  readonly csvError: string | undefined;
}

/** Parses CSV rows lazily, no further ahead than they are consumed. */
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
    // Papa Parse removes a byte order mark; one within the file belongs to a field.
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

/** The error for a row without an end. Reading stops there, because the start of the next row is unknown. */
function unclosedQuoteError(number: number, maxLength?: number): OperatorError {
  const orTooLong =
    maxLength === undefined ? '' : `, or is longer than ${maxLength.toLocaleString('en')} characters`;
  return new OperatorError(
    `The quoted field that starts on line ${number} is never closed${orTooLong}. Add the closing double quote, or double the quote if it is part of the text. Then import the file again.`,
  );
}

/** How many lines the fields of a row span beyond the first. */
function countLineBreaks(row: readonly string[]): number {
  return row.reduce((count, field) => count + (field.match(/\r\n?|\n/g)?.length ?? 0), 0);
}

/** The delimiter: a comma, semicolon, or tab, whichever is most frequent in the first line. */
function findDelimiter(text: string): string {
  const [names = ''] = text.split(/[\r\n]/, 1);
  const count = (delimiter: string) => names.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, next) => (count(next) > count(most) ? next : most));
}

/** Maximum length that is parsed at once, in UTF-16 code units. */
const maxTextLength = 2 ** 22;

/**
 * Decodes UTF-8, or UTF-16 if it begins with a byte order mark, and removes the mark.
 *
 * @param unfinished returns how much text will be parsed again with the next part. Each part is at least that long, so that a long row does
 * not take quadratic time
 */
async function* decode(
  chunks: AsyncIterable<Buffer>,
  unfinished: () => number,
): AsyncGenerator<{ readonly text: string; readonly isLast: boolean }> {
  let decoder: TextDecoder | undefined;
  let text = '';
  try {
    for await (const chunk of chunks) {
      // Excel's "Unicode text" is UTF-16.
      const mark = chunk.toString('hex', 0, 2);
      const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
      decoder ??= new TextDecoder(encoding, { fatal: true });
      text += decoder.decode(chunk, { stream: true });
      const isEnough = text.length >= unfinished() && !text.endsWith('\r');
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
