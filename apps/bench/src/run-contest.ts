import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContestSettings, Run } from './contest-results.js';
import type { Contestant } from './contestants/contestant.js';
import { countPlants } from './count-plants.js';
import { driveLoad } from './drive-load.js';
import { countOf, formatCount, formatMs } from './format-figures.js';
import { startContestant } from './start-contestant.js';
import type { Surroundings } from './surroundings.js';

/** Runs all contestants in turn, for each number of connections, for each round. */
export async function runContest(
  contestants: readonly Contestant[],
  settings: ContestSettings,
  { folder, remark }: Pick<Surroundings, 'folder' | 'remark'>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    for (const connections of settings.connections) {
      for (const contestant of contestants) {
        const run = await runOnce(contestant, { ...settings, connections, round }, folder);
        runs.push(run);
        remark(
          `round ${round}/${settings.rounds}, ${countOf(connections, 'connection')}, ${contestant.title}: ` +
            `${formatCount(run.requestsPerSecond)} requests/s, p99 ${formatMs(run.p99Ms)} ms` +
            `${run.errors > 0 ? `, ${run.errors} errors` : ''}${run.valid ? '' : ', INVALID'}`,
        );
      }
    }
  }
  return runs;
}

interface RunSettings {
  readonly connections: number;
  readonly round: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** Starts a contestant over a fresh database, drives it, stops it, and counts what it stored. */
async function runOnce(contestant: Contestant, settings: RunSettings, folder: string): Promise<Run> {
  const { round, ...load } = settings;
  const runFolder = join(folder, `${contestant.name}-${load.connections}-${round}`);
  mkdirSync(runFolder);
  const { baseUrl, token, databasePath, readPeakMemory, stop } = await startContestant(contestant, runFolder);
  const result = await driveLoad({
    baseUrl,
    token,
    connections: load.connections,
    warmupSeconds: load.warmupSeconds,
    seconds: load.seconds,
  });
  const peakMemoryBytes = await readPeakMemory();
  await stop();
  const storedPlants = contestant.stores ? countPlants(databasePath) : null;
  rmSync(runFolder, { recursive: true });
  return {
    contestant: contestant.name,
    connections: load.connections,
    round,
    ...result,
    peakMemoryBytes,
    storedPlants,
    valid: storedPlants === null || storedPlants >= result.acknowledged,
  };
}
