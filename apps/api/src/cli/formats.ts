import {
  createIdentifiedSchema,
  INT64_MAX,
  INT64_MIN,
  jsonShapeOf,
  type Plant,
  PlantSchema,
  TimeSchema,
} from '@plant-store/contract';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import { type FileRecord, recordFormatsOf, writeDeleted } from '@plant-store/contract/record-format';
import { fieldsOf } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { isTombstone, type Tombstone, toIsoTime } from '@plant-store/records';
import * as z from 'zod';
import { parseJsonBytes } from '../http/json-body.js';
import type { PlantRecord, StoredPlant } from '../plants/plant-store.js';

/** How plants are printed. */
export interface Format {
  /** Comes before the first plant. */
  readonly head: string;
  /** A plant with its line feed; a tombstone, too, if the format has any, and nothing otherwise. */
  write(row: PlantRecord): string;
}

const { ndjson, csv } = recordFormatsOf<Plant>(resources.plant);

/** By the names that options take. */
export const formats = {
  /** As `recordFormatsOf` has it; of a deleted plant `{"id":1,"deleted":true}`. */
  ndjson: {
    head: ndjson.head,
    write: (row) =>
      isTombstone(row) ? writeDeleted(resources.plant, row.id) : ndjson.write(toFileRecord(row)),
  },
  csv: {
    head: csv.head,
    write: ofPlant((plant) => csv.write(toFileRecord(plant))),
  },
  /** For a terminal: a line for each plant, whatever its texts are; those that are optional are in brackets. */
  table: {
    head: `${'ID'.padEnd(20)}  ${'ADDED'.padEnd(19)}  NAME\n`,
    write: ofPlant((plant) => {
      const time = toFileRecord(plant).addedAt?.slice(0, 19).replace('T', ' ') ?? '';
      const values: Readonly<Record<string, unknown>> = { ...plant };
      const texts = fieldsOf(resources.plant).flatMap(([name, { required }]) => {
        const value = values[name];
        if (value === undefined) return [];
        const shown = escapeInvisible(String(value), 'writing');
        return required ? shown : `[${shown}]`;
      });
      return `${[`${plant.id}`.padEnd(20), time.padEnd(19), ...texts].join('  ')}\n`;
    }),
  },
} satisfies Readonly<Record<string, Format>>;

/** Writes plants alone. */
function ofPlant(write: (plant: StoredPlant) => string): Format['write'] {
  return (row) => (isTombstone(row) ? '' : write(row));
}

function toFileRecord({ addedAt, ...plant }: StoredPlant): FileRecord<Plant> {
  return typeof addedAt === 'number' ? { ...plant, addedAt: toIsoTime(addedAt) } : plant;
}

/** The content of a line: a plant or a tombstone, or the reason why it is neither. */
export type PlantLine = { readonly plant: PlantRecord } | { readonly reason: string };

/** Reads a line of NDJSON exactly as the service reads the body of a create. */
export function readPlantLine(bytes: Buffer): PlantLine {
  try {
    return readPlant(parseJsonBytes(bytes, lineShapes.plant));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `The line is not valid JSON: ${error.message}.` };
  }
}

/** Validates a plant, or a tombstone, of a file. */
export function readPlant(value: unknown): PlantLine {
  const { data: plant, error } = (isDeleted(value) ? TombstoneSchema : LineSchema).safeParse(value);
  return plant === undefined ? { reason: explainInvalidRequest({ body: error.issues }).message } : { plant };
}

function isDeleted(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'deleted' in value &&
    value.deleted === true &&
    !('name' in value)
  );
}

/** Reads what names a plant to delete: its id, or an object with that, such as a plant of an export. */
export function readIdLine(bytes: Buffer): PlantLine {
  try {
    const value: unknown = parseJsonBytes(bytes, lineShapes.tombstone);
    const { data, error } = TombstoneSchema.safeParse(typeof value === 'object' ? value : { id: value });
    if (data !== undefined) return { plant: data };
    if (error.issues.some(({ path }) => path[0] === 'idText'))
      return { reason: explainInvalidRequest({ body: error.issues }).message };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return {
    reason: `The line is neither an id, from ${INT64_MIN} to ${INT64_MAX}, nor a JSON object with one.`,
  };
}

const TombstoneSchema = createIdentifiedSchema({}).transform(({ id }): Tombstone => ({ id, deleted: true }));

const originalError = { error: 'must be what export writes: 43 characters' };

/**
 * What a line of a plant holds: a `NewPlant`, and the time at which it was stored elsewhere, if that is known, and what it was created
 * as there, if it was updated.
 */
const lineFields = {
  ...PlantSchema.shape,
  addedAt: TimeSchema.nullish(),
  original: z
    .string(originalError)
    .regex(/^[\w-]{43}$/, originalError)
    .optional(),
};
const LineSchema = createIdentifiedSchema(lineFields).transform(
  ({ addedAt, original, ...plant }): StoredPlant => ({
    ...plant,
    ...(addedAt !== undefined && { addedAt }),
    ...(original !== undefined && { original }),
  }),
);

/** What of a line of JSON is read. */
const lineShapes = {
  plant: jsonShapeOf(createIdentifiedSchema({ ...lineFields, deleted: z.boolean() })),
  tombstone: jsonShapeOf(TombstoneSchema),
};

const whiteSpace = new Set(Buffer.from(' \t\r'));

/** Whether a line holds nothing but white space (RFC 8259, section 2). */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => whiteSpace.has(byte));
}

/** A line of a text in UTF-8, numbered from 1. */
export interface Line {
  readonly number: number;
  /** The line without its line feed; `undefined` when it is longer than the limit. */
  readonly bytes: Buffer | undefined;
}

const lineFeed = 0x0a;

/**
 * Splits a stream of bytes into lines. It buffers a single line, up to the limit. A line feed at the very end begins no
 * further line, and a byte order mark at the very beginning is not part of the first.
 *
 * @param signal once aborted, a last line without a line feed is dropped, since it may have been cut off
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let lineBytes = 0;

  function add(part: Buffer): void {
    lineBytes += part.length;
    if (lineBytes <= limitBytes) parts.push(part);
    else parts = [];
  }

  function take(): Line {
    const bytes = lineBytes > limitBytes ? undefined : join(parts);
    parts = [];
    lineBytes = 0;
    return { number, bytes: number++ === 1 && bytes ? withoutByteOrderMark(bytes) : bytes };
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (lineBytes > 0 && !signal?.aborted) yield take();
}

/** Concatenates the parts of a line. Most lines are in one chunk, which needs no copy. */
function join(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const mark = Buffer.from('\uFEFF');
  return bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes;
}
