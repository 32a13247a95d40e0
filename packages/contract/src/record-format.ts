import { stringifyExactJson } from './exact-json/stringify.js';
import { fieldsOf, plantFieldNames } from './fields.js';
import type { NewPlant } from './operations.js';

/**
 * A plant of a file: with the time at which it was stored (ISO 8601, in UTC), if that is known, and what identifies its create, if it
 * was updated since.
 */
export type FileRecord = NewPlant & {
  readonly addedAt?: string | undefined;
  readonly original?: string | undefined;
};

/** The members of a line of NDJSON, and the columns of CSV, in their order. */
export const recordColumns = ['id', ...plantFieldNames, 'addedAt'] as const;

/** How files of plants are written, which `plant-store import` reads: what comes first, and a plant with its line break. */
export const recordFormats = {
  /**
   * `{"id":1,"name":"Fern","tag":"outdoor","addedAt":"2026-11-25T10:00:00.000Z"}`. A plant without a time says so: an import would take
   * it for a new one, which gets the time of the import.
   */
  ndjson: {
    head: '',
    write: (plant: FileRecord) =>
      `${stringifyExactJson({ id: plant.id, ...fieldsOf(plant), addedAt: plant.addedAt ?? null, original: plant.original })}\n`,
  },
  /**
   * RFC 4180, which a spreadsheet opens as texts: behind a byte order mark, so that it reads UTF-8, and with texts guarded against
   * formulas. A text that is absent and one that is empty are the same there.
   */
  csv: {
    head: `\uFEFF${recordColumns.join(',')}\r\n`,
    write: ({ id, addedAt = '', ...plant }: FileRecord) =>
      `${[id, ...plantFieldNames.map((name) => quote(guardText(plant[name] ?? ''))), addedAt].join(',')}\r\n`,
  },
} as const;

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
