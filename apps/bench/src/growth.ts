import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { plantStore } from './contestants/plant-store.js';
import { sqliteIn } from './databases/sqlite.js';
import { driveLoad } from './drive-load.js';
import { fillPlants } from './fill-plants.js';
import { countOf, formatCount, formatMs, formatRatio } from './format-figures.js';
import { formatTable } from './format-table.js';
import type { GrowthResults, GrowthRun, GrowthSettings } from './growth-results.js';
import { describeMachine, machineLine } from './machine.js';
import { resultFiles } from './paths.js';
import { writeResults } from './result-files.js';
import { startContestant } from './start-contestant.js';
import { summarizeGrowth } from './summarize-growth.js';
import type { Surroundings } from './surroundings.js';

const connections = 64;

/**
 * Measures the service with so many plants already stored, prints a table and writes the figures.
 *
 * @returns whether all that was acknowledged is stored
 */
export async function growth(settings: GrowthSettings, surroundings: Surroundings): Promise<boolean> {
  const machine = await describeMachine(surroundings.folder);
  const sizes = settings.plants.map((plants) => ({ plants, folder: join(surroundings.folder, `${plants}`) }));
  for (const { plants, folder } of sizes) {
    if (plants > 0) {
      surroundings.remark(`storing ${formatCount(plants)} plants`);
      await prepareStore(folder, plants);
    }
  }
  const runs: GrowthRun[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    for (const { plants, folder } of sizes) {
      // The empty store is new each time; the others hardly grow.
      if (plants === 0) await prepareStore(folder, 0);
      const run = await runOnce(folder, plants, round, settings);
      runs.push(run);
      surroundings.remark(
        `round ${round}/${settings.rounds}, ${formatCount(plants)} plants: ` +
          `${formatCount(run.requestsPerSecond)} requests/s, p99 ${formatMs(run.p99Ms)} ms${run.valid ? '' : ', INVALID'}`,
      );
    }
  }
  const results: GrowthResults = { machine, settings, connections, summaries: summarizeGrowth(runs), runs };
  writeResults(resultFiles.growth, results);
  surroundings.print(`${growthTable(results)}\n${machineLine(machine)}\n`);
  return runs.every((run) => run.valid);
}

/** Makes a new store with so many plants in a folder. */
async function prepareStore(folder: string, plants: number): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { url, path } = sqliteIn(folder);
  await plantStore.prepare(url);
  if (plants > 0) await fillPlants(path, plants);
}

async function runOnce(
  folder: string,
  plants: number,
  round: number,
  { warmupSeconds, seconds }: GrowthSettings,
): Promise<GrowthRun> {
  const database = sqliteIn(folder);
  const plantsBefore = await database.countPlants();
  const { baseUrl, token, stop } = await startContestant(plantStore, database, folder);
  const result = await driveLoad({ baseUrl, token, connections, warmupSeconds, seconds });
  await stop();
  const plantsAfter = await database.countPlants();
  const valid = plantsAfter - plantsBefore >= result.acknowledged;
  return { plants, round, plantsBefore, plantsAfter, ...result, valid };
}

function growthTable({ settings, summaries }: GrowthResults): string {
  const rows = summaries.map((summary) => [
    formatCount(summary.plants),
    formatCount(summary.requestsPerSecond),
    formatMs(summary.p50Ms),
    formatMs(summary.p99Ms),
    formatRatio(summary.ratioToSmallest),
    formatCount(summary.errors),
    summary.valid ? 'all' : 'INVALID',
  ]);
  const head = ['plants before', 'requests/s', 'p50 ms', 'p99 ms', 'ratio', 'errors', 'stored'];
  return (
    `Plant Store, ${connections} connections\n\n${formatTable(head, rows)}\n\n` +
    `Medians of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s each.`
  );
}
