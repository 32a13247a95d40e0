import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PlantQuery } from '@plant-store/contract';
import { isTombstone, withoutTombstones } from '@plant-store/records';
import type { AccessTokenStore } from '../auth/token-service.js';
import type { Config } from '../config.js';
import { listPlants } from '../plants/list-plants.js';
import type { PlantRecord, PlantStore, StoredPlant } from '../plants/plant-store.js';
import { showStoredPlant } from '../plants/show-plant.js';
import type { PageLimits } from '../store/store.js';
import { writeAtomically } from './atomic-write.js';
import { abortOnSignal, type CliContext, countOf, countProgress, writeResult } from './cli-context.js';
import { retryWhileUnavailable, withDatabase } from './database.js';
import { type Format, formats } from './formats.js';
import { type JsonOption, toJsonLine } from './json-output.js';
import { describeWho, showHistory } from './show.js';

/** Which plants are printed, and how. */
export interface ListOptions extends JsonOption {
  readonly tag?: string;
  readonly query?: string;
  readonly newest?: boolean;
  readonly addedFrom?: string;
  readonly addedBefore?: string;
  /** Whether who has added each, and updated it last, is printed at the end of its line. */
  readonly by?: boolean;
  readonly format: keyof typeof formats;
}

/** Prints the plants that match, page after page. */
export async function list(
  config: Config,
  { tag, query: q, newest = false, addedFrom, addedBefore, by = false, format, json = false }: ListOptions,
  context: CliContext,
): Promise<void> {
  const { head, write } = json
    ? { head: '', write: (plant: StoredPlant) => toJsonLine(showStoredPlant(plant)) }
    : formats[format];
  await withDatabase(config, { mustExist: true }, async ({ stores: { plant: store }, accessTokens }) => {
    await writeResult(context, head);
    let after: string | undefined;
    do {
      const order = newest ? 'newest' : 'id';
      const query: PlantQuery = { limit: 1_000, order, tag, q, addedFrom, addedBefore, after };
      const { plants, next } = await retryWhileUnavailable(() => listPlants(store, query, 1));
      const lines = by ? await withPeople(plants, { store, accessTokens, write, json }) : plants.map(write);
      await writeResult(context, lines.join(''));
      after = next;
    } while (after !== undefined);
  });
}

/** The lines of plants with who has added each, and updated it last; nothing where nobody is known. */
async function withPeople(
  plants: readonly StoredPlant[],
  {
    store,
    accessTokens,
    write,
    json,
  }: {
    readonly store: Pick<PlantStore, 'findHistory'>;
    readonly accessTokens: Pick<AccessTokenStore, 'list'>;
    readonly write: (plant: StoredPlant) => string;
    readonly json: boolean;
  },
): Promise<readonly string[]> {
  const [histories, tokens] = await retryWhileUnavailable(() =>
    Promise.all([store.findHistory(plants.map(({ id }) => id)), accessTokens.list()]),
  );
  const byId = new Map(histories.map((history) => [history.record.id, history]));
  return plants.map((plant) => {
    const history = byId.get(plant.id);
    // It may have been deleted since the page was read.
    if (history === undefined || isTombstone(history.record)) return write(plant);
    if (json) return toJsonLine(showHistory(history, tokens));
    const { addedBy, changedBy } = history;
    const people = { added: describeWho(addedBy, tokens), updated: describeWho(changedBy, tokens) };
    const known = Object.entries(people).filter(([, who]) => who !== '');
    return `${write(plant).slice(0, -1)}${known.map(([what, who]) => `  ${what} ${who}`).join('')}\n`;
  });
}

/** Where plants are written to, standard output by default, and how. */
export interface ExportOptions {
  readonly output?: string;
  readonly format: 'ndjson' | 'csv';
}

/**
 * Writes all plants as NDJSON, with a line for each that was deleted, or as CSV, ordered by id, to standard output or to a new
 * file, which is created completely or not at all.
 */
export async function exportPlants(
  config: Config,
  { output, format: name }: ExportOptions,
  context: CliContext,
): Promise<void> {
  const format = formats[name];
  const count = await withDatabase(config, { mustExist: true }, ({ stores: { plant: plants } }) =>
    output === undefined
      ? writeToOutput(plants, format, context)
      : writeToFile(plants, format, resolve(context.folder, output), context),
  );
  await context.message(`${countOf(count, 'plant')} exported.`);
}

const pageLimits = { records: 1_000, bytes: 2 ** 20 };

function writeToOutput(plants: PlantStore, format: Format, context: CliContext): Promise<number> {
  const { output } = context;
  const isTerminal = 'isTTY' in output && output.isTTY === true;
  return writePlants(
    plants,
    format,
    (lines) => writeResult({ output }, lines),
    isTerminal ? () => undefined : countProgress(context, 'plants'),
  );
}

function writeToFile(plants: PlantStore, format: Format, path: string, context: CliContext): Promise<number> {
  const signal = abortOnSignal(context);
  return writeAtomically(path, async (temporaryPath) => {
    const file = await open(temporaryPath, 'w');
    try {
      return await writePlants(
        plants,
        format,
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
  format: Format,
  write: (lines: string) => Promise<void>,
  showCount: (count: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const pages = readAllPlants(plants.read, pageLimits, (readNext) => retryWhileUnavailable(readNext, signal));
  let count = 0;
  if (format.head !== '') await write(format.head);
  for await (const page of pages) {
    await write(page.map(format.write).join(''));
    count += withoutTombstones(page).length;
    showCount(count);
  }
  return count;
}

/**
 * Reads all plants and tombstones in the order of their ids, page by page: every one that was stored before the call, and possibly
 * some that were stored since.
 *
 * @param read see `Store`
 * @param attempt reads the next page, and may call its argument again after an error: reading then goes on after the last page
 */
export async function* readAllPlants(
  read: PlantStore['read'],
  limits: PageLimits,
  attempt: <Result>(readNext: () => Promise<Result>) => Promise<Result> = (readNext) => readNext(),
): AsyncGenerator<readonly PlantRecord[]> {
  let last: bigint | undefined;
  const begin = () => read(last, limits)[Symbol.asyncIterator]();
  let pages = begin();
  for (;;) {
    const { done, value: page } = await attempt(async () => {
      try {
        return await pages.next();
      } catch (error) {
        pages = begin();
        throw error;
      }
    });
    if (done) return;
    yield page;
    last = page.at(-1)?.id;
  }
}
