import { type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import { parseJsonBytes } from '../http/json-body.js';

/** The line to begin with, how long a line may be, and the most that a batch holds. */
export interface ReadLimits {
  readonly fromLine: number;
  readonly lineBytes: number;
  readonly batchLines: number;
  readonly batchBytes: number;
}

/** Consecutive lines without the blank ones; at least one. */
export interface Batch {
  readonly lines: readonly NumberedLine[];
  /** The number of the line that follows the last one. */
  readonly nextLine: number;
}

/** The content of a line, with its number. */
type NumberedLine = PlantLine & { readonly number: number };

/**
 * Reads NDJSON, one plant a line, in batches.
 *
 * @param signal once aborted, the lines read so far end the last batch
 */
export async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  { fromLine, lineBytes, batchLines, batchBytes }: ReadLimits,
  signal?: AbortSignal,
): AsyncGenerator<Batch> {
  let lines: NumberedLine[] = [];
  let bytes = 0;
  for await (const line of splitLines(chunks, lineBytes, signal)) {
    if (line.number < fromLine || (line.bytes && isBlank(line.bytes))) continue;
    const length = line.bytes?.length ?? 0;
    if (lines.length === batchLines || (lines.length > 0 && bytes + length > batchBytes)) {
      yield toBatch(lines);
      lines = [];
      bytes = 0;
    }
    lines.push(readLine(line, lineBytes));
    bytes += length;
  }
  if (lines.length > 0) yield toBatch(lines);
}

function readLine({ number, bytes }: Line, limitBytes: number): NumberedLine {
  if (bytes === undefined) return { number, reason: `The line is longer than ${limitBytes} bytes.` };
  return { number, ...readPlantLine(bytes) };
}

function toBatch(lines: readonly NumberedLine[]): Batch {
  return { lines, nextLine: (lines.at(-1)?.number ?? 0) + 1 };
}

/** The content of a line: a plant, or the reason why it is not a valid one. */
export type PlantLine = { readonly plant: NewPlant } | { readonly reason: string };

/** Parses a line exactly as the service parses the body of a create. */
export function readPlantLine(bytes: Buffer): PlantLine {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `The line is not valid JSON: ${error.message}.` };
  }
  const { data: plant, error } = NewPlantSchema.safeParse(value);
  return plant === undefined ? { reason: explainInvalidRequest({ body: error.issues }).message } : { plant };
}

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

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

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
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
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
  const { length } = BYTE_ORDER_MARK;
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes;
}
