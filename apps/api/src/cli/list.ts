import type { PlantQuery } from '@plant-store/contract';
import type { Config } from '../config.js';
import { listPlants } from '../plants/list-plants.js';
import { openDatabase } from '../store/open-database.js';
import { type CliContext, writeResult } from './cli-context.js';
import { type formatNames, formats } from './formats.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

/** Which plants are printed, and how. */
export interface ListOptions {
  readonly tag?: string;
  readonly query?: string;
  readonly newest?: boolean;
  readonly format: (typeof formatNames)[number];
}

/** Prints the plants that match, page after page. */
export async function list(
  config: Config,
  { tag, query: q, newest = false, format }: ListOptions,
  context: CliContext,
): Promise<void> {
  const { head, write } = formats[format];
  const database = await openDatabase(config.database, { mustExist: true });
  try {
    await writeResult(context, head);
    let after: string | undefined;
    do {
      const query: PlantQuery = { limit: 1_000, order: newest ? 'newest' : 'id', tag, q, after };
      const { plants, next } = await retryWhileUnavailable(() => listPlants(database.plants, query, 1));
      await writeResult(context, plants.map(write).join(''));
      after = next;
    } while (after !== undefined);
  } finally {
    await database.close();
  }
}
