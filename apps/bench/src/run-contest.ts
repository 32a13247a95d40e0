import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContestSettings, Run } from './contest-results.js';
import type { Contestant } from './contestants/contestant.js';
import type { DatabaseEngine } from './databases/database.js';
import { driveLoad } from './drive-load.js';
import { countOf, formatCount, formatMs } from './format-figures.js';
import type { Load, LoadResult } from './load.js';
import { startContestant } from './start-contestant.js';
import type { Surroundings } from './surroundings.js';

/** A contestant that is running, and what it is asked at the end. */
interface Participant {
  readonly contestant: Contestant;
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
 * Runs all contestants for each number of connections: each in a process of its own, over a fresh database, and all of
 * these at once. Only one is driven at a time, for a short while, then the next one, and so on in each round. So what
 * else the machine does, which changes within seconds, meets all of them.
 */
export async function runContest(
  contestants: readonly Contestant[],
  engine: DatabaseEngine,
  settings: ContestSettings,
  { folder, remark }: Pick<Surroundings, 'folder' | 'remark'>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const connections of settings.connections) {
    const participants: Participant[] = [];
    for (const contestant of contestants) {
      participants.push(await startParticipant(contestant, engine, settings, folder));
    }
    const rounds = await holdRounds(participants, { ...settings, connections }, remark);
    for (const { contestant, finish } of participants) {
      const end = await finish();
      if (!end.valid) remark(`${contestant.title} did not store all that it acknowledged: INVALID`);
      for (const round of rounds) if (round.contestant === contestant.name) runs.push({ ...round, ...end });
    }
  }
  return runs;
}

async function holdRounds(
  participants: readonly Participant[],
  settings: Pick<ContestSettings, 'rounds' | 'seconds'> & { readonly connections: number },
  remark: Surroundings['remark'],
): Promise<Round[]> {
  const { rounds, seconds, connections } = settings;
  const held: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { contestant, warmupErrors, drive } of participants) {
      const result = await drive({ connections, seconds });
      const errors = result.errors + (round === 1 ? warmupErrors : 0);
      held.push({ contestant: contestant.name, connections, round, ...result, errors });
      remark(
        `${countOf(connections, 'connection')}, round ${round}/${rounds}, ${contestant.title}: ` +
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

/** Starts a contestant over a fresh database and warms it up. */
async function startParticipant(
  contestant: Contestant,
  engine: DatabaseEngine,
  { warmupSeconds }: Pick<ContestSettings, 'warmupSeconds'>,
  folder: string,
): Promise<Participant> {
  const ownFolder = join(folder, contestant.name);
  mkdirSync(ownFolder);
  const database = await engine.createDatabase(ownFolder);
  const { baseUrl, token, readPeakMemory, stop } = await startContestant(contestant, database, ownFolder);
  let acknowledged = 0;
  const drive = async (load: Pick<Load, 'connections' | 'seconds'>) => {
    const result = await driveLoad({ baseUrl, token, warmupSeconds: settleSeconds, ...load });
    acknowledged += result.acknowledged;
    return result;
  };
  const warmup = await drive({ connections: warmupConnections, seconds: warmupSeconds });

  return {
    contestant,
    warmupErrors: warmup.errors,
    drive,
    async finish() {
      const peakMemoryBytes = await readPeakMemory();
      await stop();
      const storedPlants = contestant.stores ? await database.countPlants() : null;
      await database.remove();
      rmSync(ownFolder, { recursive: true });
      return { peakMemoryBytes, storedPlants, valid: storedPlants === null || storedPlants >= acknowledged };
    },
  };
}
