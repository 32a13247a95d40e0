import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { countOf, formatCount, formatMs, formatRatio, formatTable } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { driveLoad } from '../load/drive-load.js';
import type { Load } from '../load/load.js';
import { readProcessorTime } from '../processes/processor-time.js';
import { type RunningTarget, startTarget } from '../processes/start-target.js';
import { plantStore } from '../targets/plant-store.js';
import { withEnvironment } from '../targets/with-environment.js';
import { type CpuQuota, createCpuQuota } from './cpu-quota.js';
import { type ScalingRun, type ScalingSummary, summarizeScaling } from './summarize-scaling.js';

const rampUpSeconds = 0.5;
const workersTimeoutMs = 30_000;
const pollMs = 20;

/** The numbers of workers to measure, what is sent to them, how often, and for how long each time. */
export interface ScalingSettings {
  readonly workers: readonly number[];
  /** The part of a core that each worker has. */
  readonly share: number;
  readonly connections: number;
  readonly ids: Load['ids'];
  readonly rounds: number;
  readonly seconds: number;
  /** For each worker, since each compiles the code that runs often. */
  readonly warmupSeconds: number;
}

/**
 * Measures the service on SQLite with several numbers of workers, each worker limited to a share of a core, so that the
 * machine has enough cores for all. Its main process has no limit. Prints a table.
 *
 * @returns whether every acknowledged plant is stored
 * @throws {ControlGroupError} where this process may not create control groups
 */
export async function measureScaling(settings: ScalingSettings, environment: Environment): Promise<boolean> {
  const runs: ScalingRun[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    for (const workers of settings.workers) {
      const folder = join(environment.folder, `${workers}-${round}`);
      const run = await runOnce(workers, settings, folder);
      runs.push(run);
      environment.log(
        `round ${round}/${settings.rounds}, ${countOf(workers, 'worker')}: ` +
          `${formatCount(run.requestsPerSecond)} creates/s${run.valid ? '' : ', INVALID'}`,
      );
    }
  }
  const machine = machineLine(await describeMachine(environment.folder));
  environment.print(
    `Plant Store, ${countOf(settings.connections, 'connection')}, ${settings.ids} ids, ${settings.share} of a core for each worker\n\n` +
      `${scalingTable(summarizeScaling(runs))}\n\n` +
      `Medians of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s each. ${machine}\n`,
  );
  return runs.every(({ valid }) => valid);
}

/** Starts a service on a new database, measures it, stops it, and counts what it stored. */
async function runOnce(workers: number, settings: ScalingSettings, folder: string): Promise<ScalingRun> {
  const quota = createCpuQuota(settings.share);
  mkdirSync(folder);
  const database = sqliteIn(folder);
  const target = withEnvironment(plantStore, { WORKERS: String(workers) });
  const service = await startTarget(target, database, folder);
  const measured = await measure(service, quota, workers, settings).finally(async () => {
    await service.stop();
    await quota.remove();
  });
  const { acknowledged, ...run } = measured;
  return { workers, ...run, valid: (await database.countPlants()) >= acknowledged };
}

async function measure(
  service: RunningTarget,
  quota: CpuQuota,
  workers: number,
  { connections, ids, seconds, warmupSeconds }: ScalingSettings,
): Promise<Omit<ScalingRun, 'workers' | 'valid'> & { readonly acknowledged: number }> {
  const { baseUrl, token } = service;
  const { primary, limited } = await findProcesses(service, workers);
  const load = { baseUrl, token, connections, ids };
  // At full speed: at a tenth of it, a start and the compilation of hot code would take long.
  const warmup = await driveLoad({ ...load, warmupSeconds: 0, seconds: workers * warmupSeconds });
  for (const pid of limited) quota.limit(pid);

  const before = await readTimes(primary, limited);
  const result = await driveLoad({ ...load, warmupSeconds: rampUpSeconds, seconds });
  const after = await readTimes(primary, limited);
  const ofPrimary = (after.ofPrimary - before.ofPrimary) / result.acknowledged;
  return {
    requestsPerSecond: result.requestsPerSecond,
    p99Ms: result.p99Ms,
    primaryMicroseconds: primary === undefined ? undefined : ofPrimary,
    workerMicroseconds: (after.ofWorkers - before.ofWorkers) / result.acknowledged,
    errors: warmup.errors + result.errors,
    acknowledged: warmup.acknowledged + result.acknowledged,
  };
}

/** Waits for the workers of a service. With one, its main process does the work itself. */
async function findProcesses(
  { readPids }: RunningTarget,
  workers: number,
): Promise<{ primary: number | undefined; limited: readonly number[] }> {
  const deadline = performance.now() + workersTimeoutMs;
  for (;;) {
    const [main, ...children] = await readPids();
    if (workers === 1 && children.length === 0) return { primary: undefined, limited: [main] };
    if (workers === children.length) return { primary: main, limited: children };
    if (performance.now() > deadline) {
      throw new Error(`The service has ${children.length} child processes, and not ${workers} workers`);
    }
    await delay(pollMs);
  }
}

async function readTimes(primary: number | undefined, workers: readonly number[]) {
  const times = await Promise.all(workers.map(readProcessorTime));
  return {
    ofPrimary: primary === undefined ? 0 : await readProcessorTime(primary),
    ofWorkers: times.reduce((sum, time) => sum + time, 0),
  };
}

function scalingTable(summaries: readonly ScalingSummary[]): string {
  const rows = summaries.map((summary) => [
    summary.workers,
    summary.requestsPerSecond,
    formatRatio(summary.factor),
    summary.primaryMicroseconds?.toFixed(1) ?? '',
    summary.workerMicroseconds.toFixed(1),
    formatMs(summary.p99Ms),
    summary.errors,
    summary.valid ? 'all' : 'INVALID',
  ]);
  return formatTable(
    ['workers', 'creates/s', 'factor', 'µs per plant, primary', 'workers', 'p99 ms', 'errors', 'stored'],
    rows,
  );
}
