import { toAsciiNumber } from './ascii-number.js';
import { stringifyExactJson } from './exact-json/stringify.js';
import type { Field, Kind, Resource } from './resource.js';

/**
 * A record of a file: with the time at which it was stored (ISO 8601, in UTC), if that is known, and what identifies its create, if it
 * was updated since.
 */
export type FileRecord<Fields> = Fields & {
  readonly id: bigint;
  readonly addedAt?: string | undefined;
  readonly original?: string | undefined;
};

/** How records are written to a file. */
export interface RecordFormat<Fields> {
  /** Comes before the first record. */
  readonly head: string;
  /** A record with its line break. */
  write(record: FileRecord<Fields>): string;
}

/** The resource of a line that names none, as files of version 1.4 and earlier have it. */
const unnamed = 'plant';

const isNamed = ({ name }: Pick<Resource, 'name'>) => name !== unnamed;

/**
 * The name of the resource that a line of a file is of: of an object of NDJSON, or of the cells of CSV by the names of their columns.
 * It may be no resource of this version. `undefined` if the member or the cell `resource` is no text.
 */
export function resourceNameOf(line: Readonly<Record<string, unknown>>): string | undefined {
  const name = line['resource'] ?? '';
  if (typeof name !== 'string') return undefined;
  return name.trim() || unnamed;
}

/** The columns of CSV, in their order, which are also the members of a line of NDJSON. */
export const recordColumnsOf = (resource: Resource): readonly string[] => [
  ...(isNamed(resource) ? ['resource'] : []),
  'id',
  ...Object.keys(resource.fields),
  'addedAt',
];

/** A line of NDJSON for the id of a deleted record. */
export const writeDeleted = ({ name }: Pick<Resource, 'name'>, id: bigint): string =>
  `${stringifyExactJson({ resource: isNamed({ name }) ? name : undefined, id, deleted: true })}\n`;

/**
 * How files of a resource are written, which `plant-store import` reads. Each line of a resource other than plants has the name of the
 * resource, so that it is never read as another one.
 */
export function recordFormatsOf<Fields>(resource: Resource): {
  readonly ndjson: RecordFormat<Fields>;
  readonly csv: RecordFormat<Fields>;
} {
  const name = isNamed(resource) ? resource.name : undefined;
  const fields = Object.entries(resource.fields);
  return {
    /**
     * `{"id":1,"name":"Fern","tag":"outdoor","addedAt":"2026-11-25T10:00:00.000Z"}`. A record without a time has `null` there: an
     * import would take it for a new one, which gets the time of the import.
     */
    ndjson: {
      head: '',
      write({ id, addedAt = null, original, ...values }) {
        const all: Readonly<Record<string, unknown>> = values;
        const known = Object.fromEntries(fields.map(([field]) => [field, all[field]]));
        return `${stringifyExactJson({ resource: name, id, ...known, addedAt, original })}\n`;
      },
    },
    /**
     * RFC 4180, which a spreadsheet opens as texts: behind a byte order mark, so that it reads UTF-8, and with texts guarded against
     * formulas. A value that is absent and one that is empty are the same there.
     */
    csv: {
      head: `\uFEFF${recordColumnsOf(resource).join(',')}\r\n`,
      write({ id, addedAt = '', ...values }) {
        const all: Readonly<Record<string, unknown>> = values;
        const cells = fields.map(([field, { kind }]) => writeCell(kind, all[field]));
        return `${[...(name === undefined ? [] : [name]), id, ...cells, addedAt].join(',')}\r\n`;
      },
    },
  };
}

/** The cell of a value: a list has spaces between its integers. */
function writeCell(kind: Kind, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'text') return quote(guardText(String(value)));
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/**
 * The value of a cell that `recordFormatsOf` wrote, or a person. `undefined` for an empty cell, which is an empty list where there must
 * be one. A cell that has no value of its kind stays a text, for the schema to reject.
 */
export function readCell(
  { kind, required = false }: Pick<Field, 'kind' | 'required'>,
  cell: string,
): unknown {
  if (kind === 'text') return cell === '' ? undefined : unguardText(cell);
  const trimmed = cell.trim();
  if (trimmed === '') return kind === 'int64List' && required ? [] : undefined;
  if (kind === 'int64') return readInteger(trimmed);
  if (kind === 'int64List') return trimmed.split(/\s+/).map(readInteger);
  // Spreadsheets write it in capitals.
  if (kind === 'boolean' && /^(?:true|false)$/i.test(trimmed)) return /^t/i.test(trimmed);
  return trimmed;
}

/** An integer with every digit, in digits of any script. Anything else stays a text. */
export function readInteger(cell: string): bigint | string {
  const digits = toAsciiNumber(cell);
  return /^-?\d{1,19}$/.test(digits) ? BigInt(digits) : cell;
}

/** A field of CSV (RFC 4180, section 2). */
function quote(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What ends a cell where the delimiter is another one than ours. */
const cellEnd = /([;\t\r\n])/;

/** What a spreadsheet may take for a formula, behind apostrophes, with quotes and white space between. */
const formula = /^'*["\s]*[=+\-@＝＋－＠]/;

/** White space at the beginning, which a spreadsheet may leave out, likewise. */
const space = /^'*[\t\r\n]/;

/** A text with each part changed that a spreadsheet may take for a formula. */
function changeFormulas(text: string, change: (part: string) => string): string {
  const changed = text.split(cellEnd).map((part) => (formula.test(part) ? change(part) : part));
  const joined = changed.join('');
  return space.test(joined) ? change(joined) : joined;
}

/**
 * A text for a table: an apostrophe precedes what a spreadsheet may take for a formula, and what has apostrophes there (OWASP, CSV
 * Injection, https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function guardText(text: string): string {
  return changeFormulas(text, (part) => `'${part}`);
}

/** The text of a cell that `guardText` wrote, exactly. */
export function unguardText(cell: string): string {
  return changeFormulas(cell, (part) => (part.startsWith("'") ? part.slice(1) : part));
}
