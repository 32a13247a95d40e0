import { closeSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSqliteServer } from '../databases/sqlite.js';
import { withFolder } from '../databases/with-databases.js';
import type { Random } from '../load/random.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, until, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { continueProcesses, readChildren, stopProcesses } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';
import { type FileSystem, findObstacle, withFileSystem } from '../storage/file-system.js';
import { causeOutage } from './outage.js';

const megabytes = 256;

type Break = (
  trial: Trial,
  service: RunningService,
  fileSystem: FileSystem,
  tally: Tally,
) => Promise<RunningService>;

interface Kind {
  readonly trials: string;
  readonly promise: string;
  readonly full: number;
  readonly breakOnce: Break;
}

const kinds: readonly Kind[] = [
  { trials: 'disk-full', promise: 'A 200 is stored although the disk gets full', full: 30, breakOnce: fill },
  { trials: 'disk-slow', promise: 'A 200 is stored although the disk stalls', full: 30, breakOnce: stall },
  {
    trials: 'disk-read-only',
    promise: 'A 200 is stored although the disk fails and becomes read-only',
    full: 30,
    breakOnce: fail,
  },
];

/** Fills, stalls and breaks a file system of its own that has the SQLite file. */
export async function breakDisk(context: ProofContext): Promise<readonly ProofResult[]> {
  const notRun = await findObstacle();
  if (notRun !== undefined)
    return kinds.map(({ promise }) => ({ promise, figures: {}, failures: [], notRun }));
  const results: ProofResult[] = [];
  for (const kind of kinds) results.push(await breakRepeatedly(kind, context));
  return results;
}

async function breakRepeatedly(kind: Kind, context: ProofContext): Promise<ProofResult> {
  const { seed, amount, settings, trials, log } = context;
  const outages = trials?.[kind.trials] ?? { short: 1, full: kind.full }[amount];
  const tally = new Tally();
  let done = 0;
  await withFolder((folder) =>
    withFileSystem(folder, megabytes, async (fileSystem) => {
      const database = await createSqliteServer(fileSystem.path).createDatabase();
      const options = {
        database,
        random: createRandom(seed),
        logFile: join(folder, 'service.log'),
        settings,
      };
      await withTrial(options, async (trial) => {
        let service = await trial.launch().started;
        for (; done < outages && tally.failures.length === 0; done++)
          service = await kind.breakOnce(trial, service, fileSystem, tally);
        const comparison = await trial.compareAll();
        await service.kill('SIGTERM');
        tally.addDatabase(comparison, await database.findDamage());
      });
    }),
  );
  log(`${kind.trials}: ${done} outages`);
  return tally.toResult(kind.promise, { outages: done });
}

/** Fills the disk but for a few kilobytes, and frees it. */
async function fill(...[trial, service, { path }, tally]: Parameters<Break>): Promise<RunningService> {
  const filler = join(path, 'filler');
  const begin = () => fillDisk(path, filler, trial.random);
  await causeOutage(trial, service, { begin, end: () => rmSync(filler), partial: true }, tally);
  return service;
}

function fillDisk(path: string, filler: string, random: Random): void {
  const file = openSync(filler, 'w');
  const chunk = Buffer.alloc(65_536, 1);
  let size = 0;
  try {
    for (;;) size += writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  truncateSync(filler, size - random.below(300_000));
  if (statfsSync(path).bavail * statfsSync(path).bsize > 1_000_000) throw new Error('The disk is not full');
}

/** Lets all writes wait, again and again. */
async function stall(...[trial, service, fileSystem, tally]: Parameters<Break>): Promise<RunningService> {
  const { random } = trial;
  async function begin() {
    for (let times = 1 + random.below(5); times > 0; times--) {
      await fileSystem.freeze();
      await delay(random.below(1_000));
      await fileSystem.thaw();
      await delay(random.below(100));
    }
  }
  await causeOutage(trial, service, { begin, end: () => undefined, delays: true }, tally);
  return service;
}

/**
 * Makes the disk read-only, as an error of it does, until creates are rejected; then starts the service again on the disk,
 * which is mounted again.
 */
async function fail(...[trial, service, fileSystem, tally]: Parameters<Break>): Promise<RunningService> {
  const { ledger, random } = trial;
  const load = trial.load(service, { endsWithoutReply: true });
  await trial.acknowledgements(random.below(200), load);
  const pids = [service.pid, ...readChildren(service.pid)];
  // Nothing is being synchronized at this instant: whether that succeeds is up to the kernel then.
  await stopProcesses(pids);
  await fileSystem.makeReadOnly();
  const enough = ledger.unavailable + 32;
  continueProcesses(pids);
  await until(
    () => service.hasEnded() || ledger.failures.length > 0 || ledger.unavailable >= enough,
    'creates are rejected',
  );
  await service.killAll();
  await load.ended;
  await fileSystem.unmount();
  await fileSystem.mount();
  const next = await trial.launch().started;
  tally.check(await trial.compareLatest(), 'after an outage');
  return next;
}
