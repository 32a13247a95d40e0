import { toAsciiNumber } from './ascii-number.js';
import { stringifyExactJson } from './exact-json/stringify.js';
import type { Field, Kind, Resource } from './resource.js';

export type FileRecord<Fields> = Fields & {
  readonly id: bigint;
  /** When the record was stored (ISO 8601, in UTC), if known. */
  readonly addedAt?: string | undefined;
  /** The fingerprint of the original create request, if the record was updated later. */
  readonly original?: string | undefined;
};

export interface RecordFormat<Fields> {
  /** The text before the first record. */
  readonly head: string;
  /** Returns the line of a record, with its line break. */
  write(record: FileRecord<Fields>): string;
}

/** The resource of a line that does not name its resource, as in files of version 1.4 and earlier. */
const defaultResourceName = 'plant';

const writesResourceName = ({ name }: Pick<Resource, 'name'>) => name !== defaultResourceName;

/**
 * Returns the resource name in a line: an NDJSON object, or CSV cells by column name. There may be no resource with this name. Returns
 * `undefined` if the member or cell `resource` is not text.
 */
export function resourceNameOf(line: Readonly<Record<string, unknown>>): string | undefined {
  const name = line['resource'] ?? '';
  if (typeof name !== 'string') return undefined;
  return name.trim() || defaultResourceName;
}

/** Returns the CSV columns, in order. The members of an NDJSON line have the same names. */
export const recordColumnsOf = (resource: Resource): readonly string[] => [
  ...(writesResourceName(resource) ? ['resource'] : []),
  'id',
  ...Object.keys(resource.fields),
  'addedAt',
];

/** Returns the NDJSON line for a deleted record, with its line break. */
export const writeDeleted = ({ name }: Pick<Resource, 'name'>, id: bigint): string =>
  `${stringifyExactJson({ resource: writesResourceName({ name }) ? name : undefined, id, deleted: true })}\n`;

/**
 * Returns the file formats of a resource, which `plant-store import` reads. For a resource other than plants, each line names the resource,
 * so that an import never mistakes it for a plant.
 */
export function recordFormatsOf<Fields>(resource: Resource): {
  readonly ndjson: RecordFormat<Fields>;
  readonly csv: RecordFormat<Fields>;
} {
  const name = writesResourceName(resource) ? resource.name : undefined;
  const fields = Object.entries(resource.fields);
  return {
    /**
     * `{"id":1,"name":"Fern","tag":"outdoor","addedAt":"2026-11-25T10:00:00.000Z"}`. A record without a time has `"addedAt":null`, because
     * an import uses the current time if the member is absent.
     */
    ndjson: {
      head: '',
      write({ id, addedAt = null, original, ...values }) {
        const byName: Readonly<Record<string, unknown>> = values;
        const known = Object.fromEntries(fields.map(([field]) => [field, byName[field]]));
        return `${stringifyExactJson({ resource: name, id, ...known, addedAt, original })}\n`;
      },
    },
    /**
     * RFC 4180, adapted to spreadsheets: starts with a byte order mark so that they detect UTF-8, and guards text that they could run as a
     * formula. Absent and empty values look the same.
     */
    csv: {
      head: `\uFEFF${recordColumnsOf(resource).join(',')}\r\n`,
      write({ id, addedAt = '', ...values }) {
        const byName: Readonly<Record<string, unknown>> = values;
        const cells = fields.map(([field, { kind }]) => writeCell(kind, byName[field]));
        return `${[...(name === undefined ? [] : [name]), id, ...cells, addedAt].join(',')}\r\n`;
      },
    },
  };
}

/** Returns the cell for a value. Separates a list's integers with spaces. */
function writeCell(kind: Kind, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'text') return quote(guardText(String(value)));
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/**
 * Returns the value of a cell that `recordFormatsOf` or a person wrote. An empty cell is `undefined`, or an empty list if the field is
 * required. An invalid value stays text, so that the schema rejects it.
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

/** Reads an exact integer, in digits of any script. Returns any other text unchanged. */
export function readInteger(cell: string): bigint | string {
  const digits = toAsciiNumber(cell);
  return /^-?\d{1,19}$/.test(digits) ? BigInt(digits) : cell;
}

/** Quotes a CSV field, if necessary (RFC 4180, section 2). */
function quote(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Matches characters that end a cell for programs that expect another delimiter. */
const cellEnd = /([;\t\r\n])/;

/** Matches text that a spreadsheet could interpret as a formula, after apostrophes, quotes, and white space. */
const formula = /^'*["\s]*[=+\-@＝＋－＠]/;

/** Matches a leading tab or line break, after apostrophes. A spreadsheet could remove it. */
const leadingSpace = /^'*[\t\r\n]/;

/** Changes each part of a text that a spreadsheet could interpret as a formula, and the start if a spreadsheet could remove it. */
function changeFormulas(text: string, change: (part: string) => string): string {
  const changed = text.split(cellEnd).map((part) => (formula.test(part) ? change(part) : part));
  const joined = changed.join('');
  return leadingSpace.test(joined) ? change(joined) : joined;
}

/**
 * Guards a text for a spreadsheet: adds an apostrophe before text that a spreadsheet could interpret as a formula, and before text that
 * would look guarded (OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function guardText(text: string): string {
  return changeFormulas(text, (part) => `'${part}`);
}

/** Restores the exact text of a cell that `guardText` wrote. */
export function unguardText(cell: string): string {
  return changeFormulas(cell, (part) => (part.startsWith("'") ? part.slice(1) : part));
}
