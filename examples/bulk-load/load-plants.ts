import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@plant-store/client';
import { pMapIterable, pMapSkip } from 'p-map';
import { parsePlant } from './parse-plant.ts';
import { type Line, readLines } from './read-lines.ts';

/** How far a run is. */
export interface Counts {
  stored: number;
  alreadyThere: number;
  rejected: number;
  bytesRead: number;
  bytesTotal: number;
}

/** What a run needs. */
export interface Load {
  /** A plant on each line (NDJSON, in UTF-8). The file may be larger than the memory. */
  readonly file: string;
  /** Is written from its beginning: `{ line, reason, text }` for each rejected line, in the order of the lines. */
  readonly rejectedFile: string;
  readonly client: Client;
  /** How many plants are in flight at most. */
  readonly concurrency: number;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Is updated during the run. */
  readonly counts: Counts;
}

/**
 * Stores every plant of a file. A line that is no plant, or that the service rejects, does not stop the run.
 *
 * @throws {Error} when the run cannot go on: a file cannot be read or written, the token is rejected, or the service did not
 * answer for as long as the client waits
 * @throws the reason of the signal
 */
export async function loadPlants({ file, rejectedFile, concurrency, counts, ...load }: Load): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([load.signal, failed.signal]);
  counts.bytesTotal = (await stat(file)).size;
  const store = async ({ number, bytes }: Line) => {
    try {
      const reason = await storePlant(load.client, bytes, signal, counts);
      counts.bytesRead += bytes.length + 1;
      if (reason === undefined) return pMapSkip;
      counts.rejected++;
      return `${JSON.stringify({ line: number, reason, text: String(bytes) })}\n`;
    } catch (error) {
      // The plants in flight need not wait for a service that accepts none.
      failed.abort(error);
      throw error;
    }
  };
  const rejections = pMapIterable(readLines(file), store, { concurrency, backpressure: 4 * concurrency });
  try {
    await pipeline(rejections, createWriteStream(rejectedFile), { signal: load.signal });
    // Blank lines are not counted above.
    counts.bytesRead = counts.bytesTotal;
  } catch (error) {
    failed.abort(error);
    throw load.signal.aborted ? load.signal.reason : error;
  }
}

/** Stores the plant of a line, and resolves to why it is rejected, if it is. */
async function storePlant(
  client: Client,
  bytes: Uint8Array,
  signal: AbortSignal,
  counts: Counts,
): Promise<string | undefined> {
  const plant = parsePlant(bytes);
  if (typeof plant === 'string') return plant;
  const { status, body, replayed } = await client.createPlant({ body: plant, signal });
  if (status === 200) counts[replayed ? 'alreadyThere' : 'stored']++;
  else if (status === 400) return body.message;
  else throw new Error(`Plant Store answered with ${status}: ${body.message}`);
  return undefined;
}
