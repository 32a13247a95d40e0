import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { openDatabase } from '../database/open-database.js';
import { requireDatabaseFile } from '../database/sqlite/require-database-file.js';
import { limitHeapGrowth, limitYoungGeneration } from '../operations/limit-heap-growth.js';
import { writePlantLine } from '../plants/ndjson/write-plant-line.js';
import type { PlantStore } from '../plants/plant-store.js';
import { readAllPlants } from '../plants/read-all-plants.js';
import { retryWhileUnavailable } from '../plants/retry-while-unavailable.js';
import { abortOnStop } from './abort-on-stop.js';
import { countProgress } from './count-progress.js';
import { createWholeFile } from './create-whole-file.js';
import { explainOutput } from './explain-output.js';
import { orExplainUnavailable, patience } from './patience.js';
import type { Terminal } from './terminal.js';
import { writeFully } from './write-fully.js';

const pageLimits = { plants: 1_000, bytes: 2 ** 20 };

/**
 * Writes all plants as NDJSON in the order of their ids, to standard output or to a new file, which is whole or not
 * there at all.
 */
export async function exportPlants(
  config: Config,
  { output }: { readonly output?: string },
  terminal: Terminal,
): Promise<void> {
  limitHeapGrowth();
  limitYoungGeneration();
  if (config.database.engine === 'sqlite') requireDatabaseFile(config.database.path);
  const database = await openDatabase(config.database);
  try {
    const count = await orExplainUnavailable(() =>
      output === undefined
        ? writeToOutput(database.plants, terminal)
        : writeToFile(database.plants, resolve(terminal.folder, output), terminal),
    );
    await terminal.remark(`${count} ${count === 1 ? 'plant' : 'plants'} exported.`);
  } finally {
    await database.close();
  }
}

function writeToOutput(plants: PlantStore, terminal: Terminal): Promise<number> {
  const { output } = terminal;
  const isTerminal = 'isTTY' in output && output.isTTY === true;
  return writePlants(
    plants,
    (lines) =>
      writeFully(output, lines).catch((error) => {
        throw explainOutput(error);
      }),
    isTerminal ? () => undefined : countProgress(terminal, 'plants'),
  );
}

function writeToFile(plants: PlantStore, path: string, terminal: Terminal): Promise<number> {
  const stop = abortOnStop(terminal);
  return createWholeFile(path, async (temporaryPath) => {
    const file = await open(temporaryPath, 'w');
    try {
      return await writePlants(
        plants,
        async (lines) => {
          stop.throwIfAborted();
          await file.writeFile(lines);
        },
        countProgress(terminal, 'plants'),
      );
    } finally {
      await file.close();
    }
  });
}

/** Writes page after page and gives the number of plants. */
async function writePlants(
  plants: PlantStore,
  write: (lines: string) => Promise<void>,
  showCount: (count: number) => void,
): Promise<number> {
  const read: PlantStore['read'] = (after, limits) =>
    retryWhileUnavailable(() => plants.read(after, limits), patience);
  let count = 0;
  for await (const page of readAllPlants(read, pageLimits)) {
    await write(page.map(writePlantLine).join(''));
    count += page.length;
    showCount(count);
  }
  return count;
}
