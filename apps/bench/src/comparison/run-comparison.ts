import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseEngine } from '../databases/database.js';
import type { Environment } from '../environment/environment.js';
import { driveLoad } from '../load/drive-load.js';
import type { Load, LoadResult } from '../load/load.js';
import { startTarget } from '../processes/start-target.js';
import { countOf, formatCount, formatMs } from '../report/format-figures.js';
import type { Target } from '../targets/target.js';
import type { ComparisonSettings, Run } from './comparison-results.js';

/** A target that is running, and what it is asked at the end. */
interface Participant {
  readonly target: Target;
  /** Errors while it was warmed up, which count like others. */
  readonly warmupErrors: number;
  /** Drives it for a while. */
  drive(load: Pick<Load, 'connections' | 'seconds'>): Promise<LoadResult>;
  /** Stops it, counts what it stored, and removes its files. */
  finish(): Promise<Pick<Run, 'peakMemoryBytes' | 'storedPlants' | 'valid'>>;
}

/** What of a run is known when its round is over. */
type Round = Omit<Run, 'peakMemoryBytes' | 'storedPlants' | 'valid'>;

/**
 * Runs all targets for each number of connections: each in a process of its own, over a fresh database, and all of
 * these at once. Only one is driven at a time, for a short while, then the next one, and so on in each round. So what
 * else the machine does, which changes within seconds, meets all of them.
 */
export async function runComparison(
  targets: readonly Target[],
  engine: DatabaseEngine,
  settings: ComparisonSettings,
  { folder, remark }: Pick<Environment, 'folder' | 'remark'>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const connections of settings.connections) {
    const participants: Participant[] = [];
    for (const target of targets) {
      participants.push(await startParticipant(target, engine, settings, folder));
    }
    const rounds = await holdRounds(participants, { ...settings, connections }, remark);
    for (const { target, finish } of participants) {
      const end = await finish();
      if (!end.valid) remark(`${target.title} did not store all that it acknowledged: INVALID`);
      for (const round of rounds) if (round.target === target.name) runs.push({ ...round, ...end });
    }
  }
  return runs;
}

async function holdRounds(
  participants: readonly Participant[],
  settings: Pick<ComparisonSettings, 'rounds' | 'seconds'> & { readonly connections: number },
  remark: Environment['remark'],
): Promise<Round[]> {
  const { rounds, seconds, connections } = settings;
  const held: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { target, warmupErrors, drive } of participants) {
      const result = await drive({ connections, seconds });
      const errors = result.errors + (round === 1 ? warmupErrors : 0);
      held.push({ target: target.name, connections, round, ...result, errors });
      remark(
        `${countOf(connections, 'connection')}, round ${round}/${rounds}, ${target.title}: ` +
          `${formatCount(result.requestsPerSecond)} requests/s, p99 ${formatMs(result.p99Ms)} ms` +
          `${errors > 0 ? `, ${errors} errors` : ''}`,
      );
    }
  }
  return held;
}

/** The load of the warm-up, whatever is measured after it: a service that has run for a while has met many requests. */
const warmupConnections = 64;

/** How long the measured load runs before it counts. */
const settleSeconds = 0.5;

/** Starts a target over a fresh database and warms it up. */
async function startParticipant(
  target: Target,
  engine: DatabaseEngine,
  { warmupSeconds }: Pick<ComparisonSettings, 'warmupSeconds'>,
  folder: string,
): Promise<Participant> {
  const ownFolder = join(folder, target.name);
  mkdirSync(ownFolder);
  const database = await engine.createDatabase(ownFolder);
  const { baseUrl, token, readPeakMemory, stop } = await startTarget(target, database, ownFolder);
  let acknowledged = 0;
  const drive = async (load: Pick<Load, 'connections' | 'seconds'>) => {
    const result = await driveLoad({ baseUrl, token, warmupSeconds: settleSeconds, ...load });
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
