import { PassThrough, Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import { parseConfig } from '../config.js';
import type { PlantStore } from '../plants/plant-store.js';
import type { Database } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { stored } from '../store/store.js';
import type { CliContext } from './cli-context.js';
import { importPlants } from './import.js';

const lines = 20_500;

/** Imports into a store whose commits stay in flight until as many as may are. */
async function importWith(concurrentCommits: number) {
  const sizes: number[] = [];
  const inFlight: { end(): void }[] = [];
  const create: PlantStore['create'] = async (plants) => {
    if (plants.length === 0) return [];
    sizes.push(plants.length);
    await new Promise<void>((resolve) => inFlight.push({ end: resolve }));
    return plants.map(() => stored);
  };
  const database = {
    plants: { create, remove: async () => [] },
    concurrentCommits,
    close: async () => undefined,
  };
  vi.spyOn(openDatabase, 'openDatabase').mockResolvedValue(database as unknown as Database);
  const printed: string[] = [];
  const context: CliContext = {
    commandName: 'plant-store',
    folder: '/',
    input: Readable.from(
      Array.from({ length: lines }, (_, id) => Buffer.from(`{"id":${id},"name":"Fern"}\n`)),
    ),
    output: new PassThrough(),
    isTerminal: false,
    print: (text) => void printed.push(text),
    message: () => Promise.resolve(),
    showProgress: () => undefined,
    reportStarted: () => Promise.resolve(),
    stopSignal: () => new Promise(() => undefined),
    onHangUp: () => undefined,
    startingProcessEnded: () => Promise.reject(new Error('only for a service')),
  };
  const config = parseConfig({ FAST_PATH: 'off' }, temporaryFolder());
  let isDone = false;
  const done = importPlants(config, { file: undefined, fromLine: 1 }, context).finally(() => {
    isDone = true;
  });
  for (let ended = 0; !isDone; ended++) {
    const isLast = () => sizes.reduce((sum, size) => sum + size, 0) === lines;
    await until(async () => isDone || isLast() || inFlight.length - ended === concurrentCommits);
    expect(inFlight.length - ended).toBeLessThanOrEqual(concurrentCommits);
    inFlight[ended]?.end();
    await new Promise(setImmediate);
  }
  await done;
  expect(printed).toEqual([`${lines} imported, 0 already there, 0 bad\n`]);
  return sizes;
}

it.each([1, 2])('stores %i batches of 1,000 lines at a time', async (concurrentCommits) => {
  expect(await importWith(concurrentCommits)).toEqual([...Array(20).fill(1_000), 500]);
});
