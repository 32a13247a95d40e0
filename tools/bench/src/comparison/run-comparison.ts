import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, formatCount, formatMs } from '@plant-store/report';
import type { DatabaseEngine } from '../databases/database.js';
import type { Environment } from '../environment/environment.js';
import { driveLoad } from '../load/drive-load.js';
import type { Load, LoadResult } from '../load/load.js';
import { startTarget } from '../processes/start-target.js';
import type { Target } from '../targets/target.js';
import type { ComparisonSettings, Run } from './comparison-results.js';

/** A target that is running and warmed up. */
interface WarmTarget {
  readonly target: Target;
  /** Errors during the warm-up, which count like others. */
  readonly warmupErrors: number;
  /** Sends it load for some seconds. */
  drive(load: Pick<Load, 'connections' | 'seconds'>): Promise<LoadResult>;
  /** Stops it, counts what it stored, and removes its files. */
  finish(): Promise<Pick<Run, 'peakMemoryBytes' | 'storedPlants' | 'valid'>>;
}

/** The part of a run that is known at the end of its round. */
type Round = Omit<Run, 'peakMemoryBytes' | 'storedPlants' | 'valid'>;

/**
 * Measures all targets at each number of connections. Each runs in a process of its own on a fresh database, all at the
 * same time, but only one is under load at a time: in each round they alternate after a few seconds, so that other
 * activity on the machine affects all of them alike.
 */
export async function runComparison(
  targets: readonly Target[],
  engine: DatabaseEngine,
  settings: ComparisonSettings,
  { folder, log }: Pick<Environment, 'folder' | 'log'>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const connections of settings.connections) {
    const warmTargets: WarmTarget[] = [];
    for (const target of targets) {
      warmTargets.push(await startWarmTarget(target, engine, settings, folder));
    }
    const rounds = await runRounds(warmTargets, { ...settings, connections }, log);
    for (const { target, finish } of warmTargets) {
      const end = await finish();
      if (!end.valid) log(`${target.title} did not store all that it acknowledged: INVALID`);
      for (const round of rounds) if (round.target === target.name) runs.push({ ...round, ...end });
    }
  }
  return runs;
}

async function runRounds(
  warmTargets: readonly WarmTarget[],
  settings: Pick<ComparisonSettings, 'rounds' | 'seconds'> & { readonly connections: number },
  log: Environment['log'],
): Promise<Round[]> {
  const { rounds, seconds, connections } = settings;
  const completed: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { target, warmupErrors, drive } of warmTargets) {
      const result = await drive({ connections, seconds });
      const errors = result.errors + (round === 1 ? warmupErrors : 0);
      completed.push({ target: target.name, connections, round, ...result, errors });
      log(
        `${countOf(connections, 'connection')}, round ${round}/${rounds}, ${target.title}: ` +
          `${formatCount(result.requestsPerSecond)} requests/s, p99 ${formatMs(result.p99Ms)} ms` +
          `${errors > 0 ? `, ${errors} errors` : ''}`,
      );
    }
  }
  return completed;
}

/** The same for every measurement: a service in production has already handled many requests. */
const warmupConnections = 64;

/** How long the load runs at most before it is measured; not longer than the measurement. */
const maxRampUpSeconds = 0.5;

/** Starts a target on a fresh database and warms it up. */
async function startWarmTarget(
  target: Target,
  engine: DatabaseEngine,
  { warmupSeconds }: Pick<ComparisonSettings, 'warmupSeconds'>,
  folder: string,
): Promise<WarmTarget> {
  const ownFolder = join(folder, target.name);
  mkdirSync(ownFolder);
  const database = await engine.createDatabase(ownFolder);
  const { baseUrl, token, readPeakMemory, stop } = await startTarget(target, database, ownFolder);
  let acknowledged = 0;
  const drive = async (load: Pick<Load, 'connections' | 'seconds'>) => {
    const rampUpSeconds = Math.min(maxRampUpSeconds, load.seconds);
    const result = await driveLoad({ baseUrl, token, warmupSeconds: rampUpSeconds, ...load });
    acknowledged += result.acknowledged;
    return result;
  };
  const warmup = await drive({ connections: warmupConnections, seconds: warmupSeconds });

  return {
    target,
    warmupErrors: warmup.errors,
    drive,
    async finish() {
      const peakMemoryBytes = await readPeakMemory();
      await stop();
      const storedPlants = target.stores ? await database.countPlants() : null;
      await database.remove();
      rmSync(ownFolder, { recursive: true });
      return { peakMemoryBytes, storedPlants, valid: storedPlants === null || storedPlants >= acknowledged };
    },
  };
}
