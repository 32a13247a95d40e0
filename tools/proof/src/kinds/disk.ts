import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { type Attempt, type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Load } from '../load/start-load.js';
import type { Proof } from '../proof.js';
import { type Place, withDatabases } from '../system/databases.js';
import { type Disk, findNoFileSystem, withDisk } from '../system/file-system.js';
import { kill, readChildren, stopProcesses, until } from '../system/programs.js';
import type { Service } from '../system/service.js';

/**
 * The number of creates that must be rejected before an outage counts as noticed, and acknowledged before it counts as over. More than
 * there are connections.
 */
const enough = 32;

/** Something that keeps the service from storing records for a while. */
interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** Whether creates wait during the outage; otherwise they are rejected. */
  readonly delays?: boolean;
  /** Whether some creates may succeed during the outage. */
  readonly partial?: boolean;
}

const inFile: Pick<Kind, 'short' | 'full' | 'withPlace'> = {
  short: 1,
  full: 30,
  withPlace: (trial) => withDatabases('sqlite', trial),
};

const lockedFile: Kind = {
  ...inFile,
  name: 'disk-locked',
  promise: 'A 200 is stored although another process locks the file',
  async breakOnce(attempt) {
    // Waits longer for the lock than the service usually holds it.
    const file = new Sqlite(pathOf(attempt), { timeout: 60_000 });
    const begin = () => void file.exec('BEGIN EXCLUSIVE');
    await causeOutage(attempt, { begin, end: () => void file.exec('ROLLBACK') });
    file.close();
  },
};

/**
 * Moves the file away, replaces or deletes it. A restored file must be used again. For a deleted file, the service still has it open, and
 * docs/operate/troubleshooting.md restores everything from that.
 */
const lostFile: Kind = {
  ...inFile,
  name: 'disk-gone',
  promise: 'A 200 is stored, or nothing is acknowledged, when the file is gone',
  short: 3,
  trialsPerDatabase: 1,
  async breakOnce(attempt) {
    const path = pathOf(attempt);
    const moved = {
      begin: () => fs.renameSync(path, `${path}.away`),
      end: () => fs.renameSync(`${path}.away`, path),
    };
    const replaced = {
      begin() {
        fs.linkSync(path, `${path}.away`);
        fs.copyFileSync(path, `${path}.other`);
        fs.renameSync(`${path}.other`, path);
      },
      end: moved.end,
    };
    if (attempt.index % 3 === 2) await deleteFile(attempt, path);
    else await causeOutage(attempt, attempt.index % 3 === 0 ? moved : replaced);
  },
};

const onDisk: Pick<Kind<Disk>, 'short' | 'full' | 'findObstacle' | 'withPlace'> = {
  short: 1,
  full: 30,
  findObstacle: findNoFileSystem,
  withPlace: (trial) => withDisk('sqlite', 256, trial),
};

const fullDisk: Kind<Disk> = {
  ...onDisk,
  name: 'disk-full',
  promise: 'A 200 is stored although the disk gets full',
  breakOnce(attempt) {
    const { path } = attempt.place.fileSystem;
    const filler = join(path, 'filler');
    const begin = () => fillDisk(path, filler, attempt.trial.random);
    return causeOutage(attempt, { begin, end: () => fs.rmSync(filler), partial: true });
  },
};

const slowDisk: Kind<Disk> = {
  ...onDisk,
  name: 'disk-slow',
  promise: 'A 200 is stored although the disk stalls',
  breakOnce(attempt) {
    const { fileSystem } = attempt.place;
    const { random } = attempt.trial;
    async function begin() {
      for (let times = 1 + random.below(5); times > 0; times--) {
        await fileSystem.freeze();
        await delay(random.below(1_000));
        await fileSystem.thaw();
        await delay(random.below(100));
      }
    }
    return causeOutage(attempt, { begin, end: () => undefined, delays: true });
  },
};

const brokenDisk: Kind<Disk> = {
  ...onDisk,
  name: 'disk-read-only',
  promise: 'A 200 is stored although the disk fails and becomes read-only',
  async breakOnce({ trial, place: { fileSystem } }) {
    const { ledger, random } = trial;
    const service = await trial.service();
    const load = await trial.load({ endsWithoutReply: true }, random.below(200));
    const pids = [service.pid, ...readChildren(service.pid)];
    // Stopped so that no sync is in flight, because its result would depend on the kernel.
    await stopProcesses(pids);
    await fileSystem.makeReadOnly();
    const limit = ledger.unavailable + enough;
    for (const pid of pids) kill(pid, 'SIGCONT');
    const isNoticed = () => service.hasEnded() || ledger.failures.length > 0 || ledger.unavailable >= limit;
    await until(isNoticed, 'creates are rejected');
    await service.killAll();
    await load.ended;
    await fileSystem.unmount();
    await fileSystem.mount();
  },
};

/** Locks the SQLite file, takes it away, and fills, stalls and breaks its disk, all under load. */
export const disk: Proof = [
  trialsOf(lockedFile),
  trialsOf(lostFile),
  trialsOf(fullDisk),
  trialsOf(slowDisk),
  trialsOf(brokenDisk),
];

/** Causes an outage under load. During it, every create must get a reply; after it, creates must be stored again. */
async function causeOutage(attempt: Attempt<Place>, outage: Outage): Promise<void> {
  const service = await attempt.trial.service();
  const load = await beginOutage(attempt, outage);
  await outage.end();
  await attempt.trial.acknowledgements(enough, load);
  await endOutage(attempt, service, load);
}

/** Begins an outage. Resolves once the service has noticed it. Checks that no create sent after that is acknowledged. */
async function beginOutage(
  { trial, tally }: Attempt<Place>,
  { begin, delays = false, partial = false }: Omit<Outage, 'end'>,
): Promise<Load> {
  const { ledger, random } = trial;
  const service = await trial.service();
  const load = await trial.load({}, random.below(200));
  await begin();
  if (delays) return load;
  const untilRejected = async () => {
    const limit = ledger.unavailable + enough;
    const isWrong = () => ledger.failures.length > 0 || service.hasEnded();
    await until(() => isWrong() || ledger.unavailable >= limit, `${enough} creates are rejected`);
  };
  await untilRejected();
  const before = ledger.acknowledgements;
  await untilRejected();
  const meanwhile = ledger.acknowledgements - before;
  if (meanwhile > 0 && !partial) tally.fail(`${meanwhile} writes were acknowledged in an outage`);
  return load;
}

/** Ends the load, and notes if the service has ended, or has left a create without a reply. */
async function endOutage({ trial, tally }: Attempt<Place>, service: Service, load: Load): Promise<void> {
  await load.stop();
  if (trial.ledger.missingReplies > 0) tally.fail(`${trial.ledger.missingReplies} creates had no reply`);
  if (service.hasEnded()) tally.fail(`The service ended:\n${service.readLog().slice(-2_000)}`);
}

function pathOf({ trial }: Attempt): string {
  return fileURLToPath(trial.database.url);
}

/** Fills the disk except for a few kilobytes. */
function fillDisk(path: string, filler: string, random: Random): void {
  const file = fs.openSync(filler, 'w');
  const chunk = Buffer.alloc(65_536, 1);
  let size = 0;
  try {
    for (;;) size += fs.writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    fs.closeSync(file);
  }
  fs.truncateSync(filler, size - random.below(300_000));
  if (fs.statfsSync(path).bavail * fs.statfsSync(path).bsize > 1_000_000)
    throw new Error('The disk is not full');
}

/** Deletes the file, and restores it and its log from the process that has them open, as docs/operate/troubleshooting.md describes. */
async function deleteFile(attempt: Attempt, path: string): Promise<void> {
  const service = await attempt.trial.service();
  const load = await beginOutage(attempt, { begin: () => fs.rmSync(path) });
  const open = `/proc/${service.pid}/fd`;
  for (const descriptor of fs.readdirSync(open).map((name) => join(open, name))) {
    const link = readLink(descriptor);
    if (link === `${path} (deleted)`) fs.copyFileSync(descriptor, `${path}.kept`);
    if (link === `${path}-wal`) fs.copyFileSync(descriptor, `${path}.kept-wal`);
  }
  await endOutage(attempt, service, load);
  await service.killAll();
  for (const suffix of ['', '-wal']) fs.renameSync(`${path}.kept${suffix}`, `${path}${suffix}`);
  fs.rmSync(`${path}-shm`, { force: true });
}

/** The target of a link. Handles descriptors that have been closed since, such as those of connections. */
function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
