import { Readable } from 'node:stream';
import Papa from 'papaparse';
import { OperatorError } from '../errors/operator-error.js';
import { type PlantLine, readPlant } from './formats.js';

/** A line of a file, as its number and what it holds, and its size. */
interface CsvLine {
  readonly number: number;
  readonly line: PlantLine;
  readonly bytes: number;
}

/** The columns that are read. Their names may be in any case. */
const columns = ['id', 'name', 'tag', 'addedat'];

/**
 * Reads plants from CSV or TSV in UTF-8 (RFC 4180), whose first line names the columns. A field that is empty is none, so that a
 * plant without a tag and one with an empty tag are the same.
 *
 * @param delimiter `undefined` for a comma or a semicolon, whichever the file has
 * @param onUnused called with the names of the columns that are not read, if there are some
 * @throws {OperatorError} when the file is not in UTF-8, or has no columns `id` and `name`
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  delimiter: string | undefined,
  onUnused: (names: readonly string[]) => void,
): AsyncGenerator<CsvLine> {
  let places: readonly number[] | undefined;
  let number = 0;
  for await (const { row, problem } of parseRows(chunks, delimiter)) {
    number++;
    if (places === undefined) {
      const names = row.map((name) => name.trim());
      places = findColumns(names);
      const unused = names.filter((name) => !columns.includes(name.toLowerCase()));
      if (unused.length > 0) onUnused(unused);
      continue;
    }
    if (row.every((field) => field.trim() === '')) continue;
    const [id = '', name, tag, addedAt] = places.map((place) => row[place] || undefined);
    const digits = id.trim();
    yield {
      number,
      bytes: row.reduce((total, field) => total + field.length, 0),
      line:
        problem === undefined
          ? readPlant({
              id: /^-?\d{1,19}$/.test(digits) ? BigInt(digits) : id || undefined,
              name,
              tag,
              addedAt,
            })
          : { reason: `The line is not valid CSV: ${problem}.` },
    };
  }
}

/** The places of the columns in a row; -1 for one that there is not. */
function findColumns(names: readonly string[]): number[] {
  const lower = names.map((name) => name.toLowerCase());
  const places = columns.map((column) => lower.indexOf(column));
  if (!lower.includes('id') || !lower.includes('name'))
    throw new OperatorError(
      `The first line must name the columns, id and name among them. It has: ${names.join(', ')}. Rename its columns; tag and addedAt are read, too.`,
    );
  return places;
}

interface Row {
  readonly row: readonly string[];
  readonly problem: string | undefined;
}

/** The rows of CSV, parsed no further ahead than they are taken. */
async function* parseRows(chunks: AsyncIterable<Buffer>, delimiter: string | undefined): AsyncGenerator<Row> {
  let parsed = Promise.withResolvers<{ rows: readonly Row[]; resume: () => void } | undefined>();
  Papa.parse<string[]>(Readable.from(decode(chunks), { objectMode: true }), {
    delimiter: delimiter ?? findDelimiter,
    chunk({ data, errors }, parser) {
      parser.pause();
      const problems = new Map(errors.map(({ row = -1, message }) => [row, message]));
      const rows = data.map((row, index) => ({ row, problem: problems.get(index) }));
      parsed.resolve({ rows, resume: () => parser.resume() });
    },
    complete: () => parsed.resolve(undefined),
    error: (error) => parsed.reject(error),
  });
  for (let next = await parsed.promise; next !== undefined; next = await parsed.promise) {
    yield* next.rows;
    parsed = Promise.withResolvers();
    next.resume();
  }
}

/** A comma or a semicolon, whichever the first line has more of. */
function findDelimiter(text: string): string {
  const [names = ''] = text.split(/[\r\n]/, 1);
  return names.split(';').length > names.split(',').length ? ';' : ',';
}

/** Decodes UTF-8 without a byte order mark. */
async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true });
      if (text !== '') yield text;
    }
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError('The file is not in UTF-8. Save it as UTF-8, and import it again.', {
      cause: error,
    });
  }
}
