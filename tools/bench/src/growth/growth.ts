import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, formatCount, formatMs, formatRatio, formatTable, writeJson } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { driveLoad } from '../load/drive-load.js';
import { resultFiles } from '../paths.js';
import { startTarget } from '../processes/start-target.js';
import { plantStore } from '../targets/plant-store.js';
import { fillPlants } from './fill-plants.js';
import type { GrowthResults, GrowthRun, GrowthSettings } from './growth-results.js';
import { summarizeGrowth } from './summarize-growth.js';

const connections = 64;

/**
 * Measures the service with many plants already stored, prints a table and writes the results.
 *
 * @returns whether every acknowledged plant is stored
 */
export async function measureGrowth(settings: GrowthSettings, environment: Environment): Promise<boolean> {
  const machine = await describeMachine(environment.folder);
  const sizes = settings.plants.map((plants) => ({ plants, folder: join(environment.folder, `${plants}`) }));
  for (const { plants, folder } of sizes) {
    if (plants > 0) {
      environment.log(`storing ${formatCount(plants)} plants`);
      await prepareDatabase(folder, plants);
    }
  }
  const runs: GrowthRun[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    for (const { plants, folder } of sizes) {
      // The empty database is new each time; the others hardly grow.
      if (plants === 0) await prepareDatabase(folder, 0);
      const run = await runOnce(folder, plants, round, settings);
      runs.push(run);
      environment.log(
        `round ${round}/${settings.rounds}, ${formatCount(plants)} plants: ` +
          `${formatCount(run.requestsPerSecond)} requests/s, p99 ${formatMs(run.p99Ms)} ms${run.valid ? '' : ', INVALID'}`,
      );
    }
  }
  const results: GrowthResults = { machine, settings, connections, summaries: summarizeGrowth(runs), runs };
  writeJson(resultFiles.growth, results);
  environment.print(`${growthTable(results)}\n${machineLine(machine)}\n`);
  return runs.every((run) => run.valid);
}

/** Creates a new database with that many plants in a folder. */
async function prepareDatabase(folder: string, plants: number): Promise<void> {
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
  const { baseUrl, token, stop } = await startTarget(plantStore, database, folder);
  const result = await driveLoad({ baseUrl, token, connections, warmupSeconds, seconds });
  await stop();
  const plantsAfter = await database.countPlants();
  const valid = plantsAfter - plantsBefore >= result.acknowledged;
  return { plants, round, plantsBefore, plantsAfter, ...result, valid };
}

function growthTable({ settings, summaries }: GrowthResults): string {
  const rows = summaries.map((summary) => [
    summary.plants,
    summary.requestsPerSecond,
    formatMs(summary.p50Ms),
    formatMs(summary.p99Ms),
    formatRatio(summary.ratioToSmallest),
    summary.errors,
    summary.valid ? 'all' : 'INVALID',
  ]);
  const head = ['plants before', 'requests/s', 'p50 ms', 'p99 ms', 'ratio', 'errors', 'stored'];
  return (
    `Plant Store, ${connections} connections\n\n${formatTable(head, rows)}\n\n` +
    `Medians of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s each.`
  );
}
