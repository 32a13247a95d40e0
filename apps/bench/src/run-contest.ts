import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContestSettings, Run } from './contest-results.js';
import type { Contestant } from './contestants/contestant.js';
import type { DatabaseEngine } from './databases/database.js';
import { driveLoad } from './drive-load.js';
import { countOf, formatCount, formatMs } from './format-figures.js';
import type { Load } from './load.js';
import { startContestant } from './start-contestant.js';
import type { Surroundings } from './surroundings.js';

/** Runs all contestants in turn, for each number of connections, for each round. */
export async function runContest(
  contestants: readonly Contestant[],
  engine: DatabaseEngine,
  settings: ContestSettings,
  { folder, remark }: Pick<Surroundings, 'folder' | 'remark'>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    for (const connections of settings.connections) {
      for (const contestant of contestants) {
        const run = await runOnce(contestant, engine, { ...settings, connections, round }, folder);
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

/** The load of the warm-up, whatever is measured after it: a service that has run for a while has met many requests. */
const warmupConnections = 64;

/** How long the measured load runs before it counts. */
const settleSeconds = 0.5;

/** Starts a contestant over a fresh database, warms it up, drives it, stops it, and counts what it stored. */
async function runOnce(
  contestant: Contestant,
  engine: DatabaseEngine,
  settings: RunSettings,
  folder: string,
): Promise<Run> {
  const { round, connections, warmupSeconds, seconds } = settings;
  const runFolder = join(folder, `${contestant.name}-${connections}-${round}`);
  mkdirSync(runFolder);
  const database = await engine.createDatabase(runFolder);
  const { baseUrl, token, readPeakMemory, stop } = await startContestant(contestant, database, runFolder);
  const drive = (load: Pick<Load, 'connections' | 'warmupSeconds' | 'seconds'>) =>
    driveLoad({ baseUrl, token, ...load });
  const warmup = await drive({
    connections: warmupConnections,
    warmupSeconds: settleSeconds,
    seconds: warmupSeconds,
  });
  const result = await drive({ connections, warmupSeconds: settleSeconds, seconds });
  const peakMemoryBytes = await readPeakMemory();
  await stop();
  const acknowledged = warmup.acknowledged + result.acknowledged;
  const storedPlants = contestant.stores ? await database.countPlants() : null;
  await database.remove();
  rmSync(runFolder, { recursive: true });
  return {
    contestant: contestant.name,
    connections,
    round,
    ...result,
    acknowledged,
    errors: warmup.errors + result.errors,
    peakMemoryBytes,
    storedPlants,
    valid: storedPlants === null || storedPlants >= acknowledged,
  };
}
