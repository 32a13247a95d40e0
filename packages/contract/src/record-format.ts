import { stringifyExactJson } from './exact-json/stringify.js';
import { fieldsOf, plantFieldNames } from './fields.js';
import type { NewPlant } from './operations.js';

/**
 * A plant of a file: with the time at which it was stored (ISO 8601, in UTC), if that is known, and what identifies its create, if it
 * was corrected since.
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
  /** RFC 4180. A text that is absent and one that is empty are the same there. */
  csv: {
    head: `${recordColumns.join(',')}\r\n`,
    write: (plant: FileRecord) =>
      `${recordColumns.map((column) => quote(`${plant[column] ?? ''}`)).join(',')}\r\n`,
  },
} as const;

/** A field of CSV (RFC 4180, section 2). */
function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
