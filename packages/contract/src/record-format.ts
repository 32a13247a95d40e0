import { toAsciiNumber } from './ascii-number.js';
import { stringifyExactJson } from './exact-json/stringify.js';
import type { Field, Kind, Resource } from './resource.js';

/**
 * A record in a file, with the time at which it was stored (ISO 8601, in UTC), if known, and the fingerprint of its create, if it was
 * updated since.
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

/** The resource of a line that names none, as in files of version 1.4 and earlier. */
const unnamed = 'plant';

const isNamed = ({ name }: Pick<Resource, 'name'>) => name !== unnamed;

/**
 * The name of the resource of a line: of an NDJSON object, or of CSV cells by column name. This version may not have that resource.
 * `undefined` if the member or cell `resource` is not text.
 */
export function resourceNameOf(line: Readonly<Record<string, unknown>>): string | undefined {
  const name = line['resource'] ?? '';
  if (typeof name !== 'string') return undefined;
  return name.trim() || unnamed;
}

/** The columns of CSV, in order. They are also the members of a line of NDJSON. */
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
 * The file formats of a resource, which `plant-store import` reads. Each line of a resource other than plants has the name of the resource,
 * so that it is never read as another one.
 */
export function recordFormatsOf<Fields>(resource: Resource): {
  readonly ndjson: RecordFormat<Fields>;
  readonly csv: RecordFormat<Fields>;
} {
  const name = isNamed(resource) ? resource.name : undefined;
  const fields = Object.entries(resource.fields);
  return {
    /**
     * `{"id":1,"name":"Fern","tag":"outdoor","addedAt":"2026-11-25T10:00:00.000Z"}`. A record without a time has `null`; without that
     * member, an import would treat it as new, and use the time of the import.
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
     * RFC 4180 for spreadsheets: with a byte order mark, so that they read UTF-8, and with texts guarded against formulas. Absent and empty
     * values are the same in it.
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
 * The value of a cell written by `recordFormatsOf` or a person. `undefined` for an empty cell, or an empty list if one is required. A cell
 * without a valid value stays text, so that the schema rejects it.
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
  // Spreadsheets write booleans in capitals.
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

/** Characters that end a cell if a program uses another delimiter. */
const cellEnd = /([;\t\r\n])/;

/** Text that a spreadsheet may interpret as a formula, after apostrophes, quotes and white space. */
const formula = /^'*["\s]*[=+\-@＝＋－＠]/;

/** Leading white space after apostrophes, which a spreadsheet may remove. */
const space = /^'*[\t\r\n]/;

/** Changes each part of a text that a spreadsheet may interpret as a formula. */
function changeFormulas(text: string, change: (part: string) => string): string {
  const changed = text.split(cellEnd).map((part) => (formula.test(part) ? change(part) : part));
  const joined = changed.join('');
  return space.test(joined) ? change(joined) : joined;
}

/**
 * Guards a text for a spreadsheet: adds an apostrophe before text that could be interpreted as a formula, or that already has apostrophes
 * there (OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function guardText(text: string): string {
  return changeFormulas(text, (part) => `'${part}`);
}

/** Restores the exact text of a cell that `guardText` wrote. */
export function unguardText(cell: string): string {
  return changeFormulas(cell, (part) => (part.startsWith("'") ? part.slice(1) : part));
}
