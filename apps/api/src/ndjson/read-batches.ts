import { isBlank, type PlantLine, readPlantLine } from './read-plant-line.js';
import { type Line, splitLines } from './split-lines.js';

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
export type NumberedLine = PlantLine & { readonly number: number };

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
