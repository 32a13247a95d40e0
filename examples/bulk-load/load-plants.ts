import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type Client, type NewPlantInput, storeAll } from '@plant-store/client';
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
  /** Is written from its beginning: `{ line, reason, text }` for each rejected line. */
  readonly rejectedFile: string;
  readonly client: Client;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Is updated during the run. */
  readonly counts: Counts;
}

/** Where a plant came from. The client sends no members under symbols. */
const source = Symbol('source');

/**
 * Stores every plant of a file, in batches. A line that is no plant, or that the service rejects, does not stop the run.
 *
 * @throws {Error} when the run cannot go on: a file cannot be read or written, the token is rejected, or the service did not
 * answer for as long as the client waits
 * @throws the reason of the signal
 */
export async function loadPlants({ file, rejectedFile, client, signal, counts }: Load): Promise<void> {
  counts.bytesTotal = (await stat(file)).size;
  const rejections = createWriteStream(rejectedFile);
  async function reject({ number, bytes }: Line, reason: string): Promise<void> {
    counts.rejected++;
    const text = `${JSON.stringify({ line: number, reason, text: String(bytes) })}\n`;
    if (!rejections.write(text)) await once(rejections, 'drain');
  }
  async function* readPlants(): AsyncGenerator<NewPlantInput & { [source]: Line }> {
    for await (const line of readLines(file)) {
      counts.bytesRead += line.bytes.length + 1;
      const plant = parsePlant(line.bytes);
      if (typeof plant === 'string') await reject(line, plant);
      else yield { ...plant, [source]: line };
    }
  }

  try {
    // As long as it takes.
    const rounds = Number.POSITIVE_INFINITY;
    // Not in a variable, which would hold all rejections.
    for await (const totals of storeAll(client, readPlants(), { signal, rounds })) {
      counts.stored = totals.stored;
      counts.alreadyThere = totals.replayed;
      for (const { plant, message } of totals.rejections) await reject(plant[source], message);
    }
    // Blank lines are not counted above.
    counts.bytesRead = counts.bytesTotal;
  } finally {
    rejections.end();
    await finished(rejections);
  }
}
