import { NewPlantSchema } from '@plant-store/contract';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import * as z from 'zod';
import type { StoredPlant } from '../plants/plant-store.js';
import { toIsoTime } from '../runtime/iso-time.js';

/** How plants are printed. */
export interface Format {
  /** Comes before the first plant. */
  readonly head: string;
  /** A plant with its line feed. */
  write(plant: StoredPlant): string;
}

/** The names of formats, as options take them. */
export const formatNames = ['ndjson', 'csv', 'table'] as const;

export const formats: Readonly<Record<(typeof formatNames)[number], Format>> = {
  /** `{"id":1,"name":"Fern","tag":"outdoor","addedAt":"2026-11-25T10:00:00.000Z"}`, or without `tag`. */
  ndjson: {
    head: '',
    // So that an import does not take one without a time for a new plant, which gets the time of the import.
    write: (plant) => `${stringifyExactJson({ ...fieldsOf(plant), addedAt: timeOf(plant) ?? null })}\n`,
  },
  /** RFC 4180. No tag and an empty tag are the same there. */
  csv: {
    head: 'id,name,tag,addedAt\r\n',
    write: (plant) =>
      `${[`${plant.id}`, quote(plant.name), quote(plant.tag ?? ''), timeOf(plant) ?? ''].join(',')}\r\n`,
  },
  /** For a terminal: a line for each plant, whatever its texts are. */
  table: {
    head: `${'ID'.padEnd(20)}  ${'ADDED'.padEnd(19)}  NAME\n`,
    write: (plant) => {
      const time = timeOf(plant)?.slice(0, 19).replace('T', ' ') ?? '';
      const tag = plant.tag === undefined ? '' : `  [${toOneLine(plant.tag)}]`;
      return `${`${plant.id}`.padEnd(20)}  ${time.padEnd(19)}  ${toOneLine(plant.name)}${tag}\n`;
    },
  },
};

function fieldsOf({ id, name, tag }: StoredPlant) {
  return { id, name, tag };
}

function timeOf({ addedAt }: StoredPlant): string | undefined {
  return typeof addedAt === 'number' ? toIsoTime(addedAt) : undefined;
}

/** A field of CSV (RFC 4180, section 2). */
function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text without the characters that a terminal would obey. */
export function toOneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The content of a line: a plant, or the reason why it is not a valid one. */
export type PlantLine = { readonly plant: StoredPlant } | { readonly reason: string };

/** Validates a plant of a file. */
export function readPlant(value: unknown): PlantLine {
  const { data: plant, error } = LineSchema.safeParse(value);
  return plant === undefined ? { reason: explainInvalidRequest({ body: error.issues }).message } : { plant };
}

/** What a line holds: a `NewPlant`, and the time at which it was stored elsewhere, if that is known. */
const LineSchema = NewPlantSchema.extend({
  addedAt: z.iso
    .datetime({ error: 'must be a time in ISO 8601 and UTC, such as 2026-11-25T10:00:00.000Z' })
    .transform((text) => Date.parse(text))
    .nullish(),
}).transform(({ addedAt, ...plant }): StoredPlant => (addedAt === undefined ? plant : { ...plant, addedAt }));
