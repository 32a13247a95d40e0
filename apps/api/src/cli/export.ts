import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { openDatabase } from '../database/open-database.js';
import { readAllPlants } from '../ndjson/read-all-plants.js';
import { writePlantLine } from '../ndjson/write-plant-line.js';
import type { PlantStore } from '../plants/plant-store.js';
import { limitHeapGrowth, limitYoungGeneration } from '../runtime/v8-flags.js';
import { writeAtomically } from './output/atomic-write.js';
import { countOf } from './output/count-of.js';
import { countProgress } from './output/count-progress.js';
import { writeResult } from './output/write-all.js';
import { abortOnSignal } from './support/abort-on-signal.js';
import type { CliContext } from './support/cli-context.js';
import { retryWhileUnavailable } from './support/retry-while-unavailable.js';

const pageLimits = { plants: 1_000, bytes: 2 ** 20 };

/**
 * Writes all plants as NDJSON, ordered by id, to standard output or to a new file, which is created completely or not at
 * all.
 */
export async function exportPlants(
  config: Config,
  { output }: { readonly output?: string },
  context: CliContext,
): Promise<void> {
  if (config.fastPath) {
    limitHeapGrowth();
    limitYoungGeneration();
  }
  const database = await openDatabase(config.database, { mustExist: true });
  try {
    const count =
      output === undefined
        ? await writeToOutput(database.plants, context)
        : await writeToFile(database.plants, resolve(context.folder, output), context);
    await context.message(`${countOf(count, 'plant')} exported.`);
  } finally {
    await database.close();
  }
}

function writeToOutput(plants: PlantStore, context: CliContext): Promise<number> {
  const { output } = context;
  const isTerminal = 'isTTY' in output && output.isTTY === true;
  return writePlants(
    plants,
    (lines) => writeResult({ output }, lines),
    isTerminal ? () => undefined : countProgress(context, 'plants'),
  );
}

function writeToFile(plants: PlantStore, path: string, context: CliContext): Promise<number> {
  const signal = abortOnSignal(context);
  return writeAtomically(path, async (temporaryPath) => {
    const file = await open(temporaryPath, 'w');
    try {
      return await writePlants(
        plants,
        async (lines) => {
          signal.throwIfAborted();
          await file.writeFile(lines);
        },
        countProgress(context, 'plants'),
        signal,
      );
    } finally {
      await file.close();
    }
  });
}

/** Writes page after page, and returns the number of plants. */
async function writePlants(
  plants: PlantStore,
  write: (lines: string) => Promise<void>,
  showCount: (count: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const pages = readAllPlants(plants.read, pageLimits, (readNext) => retryWhileUnavailable(readNext, signal));
  let count = 0;
  for await (const page of pages) {
    await write(page.map(writePlantLine).join(''));
    count += page.length;
    showCount(count);
  }
  return count;
}
