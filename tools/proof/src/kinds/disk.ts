import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { type Attempt, type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Load } from '../load/start-load.js';
import type { Proof } from '../proof.js';
import { type TestBed, withDatabases } from '../system/databases.js';
import { type Disk, findMissingFileSystemSupport, withDisk } from '../system/file-system.js';
import { kill, readChildren, stopProcesses, waitUntil } from '../system/programs.js';
import type { Service } from '../system/service.js';

/**
 * How many creates must be rejected before an outage counts as noticed, and acknowledged before it counts as over. More than the number of
 * connections, so that at least one was sent after the change.
 */
const decisiveCreates = 32;

/** A temporary condition in which the service cannot store records. */
interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** Whether creates wait during the outage; otherwise they are rejected. */
  readonly delays?: boolean;
  /** Whether some creates can succeed during the outage. */
  readonly partial?: boolean;
}

const onFile: Pick<Kind, 'short' | 'full' | 'withTestBed'> = {
  short: 1,
  full: 30,
  withTestBed: (run) => withDatabases('sqlite', run),
};

const lockedFile: Kind = {
  ...onFile,
  name: 'disk-locked',
  promise: 'A 200 is stored even if another process locks the file',
  async injectFault(attempt) {
    // Waits longer for the lock than the service holds it.
    const file = new Sqlite(pathOf(attempt), { timeout: 60_000 });
    const begin = () => void file.exec('BEGIN EXCLUSIVE');
    await causeOutage(attempt, { begin, end: () => void file.exec('ROLLBACK') });
    file.close();
  },
};

/**
 * Moves, replaces, or deletes the file. After a move or a replacement, the service must use the restored file again. A deleted file is
 * still open in the service, so it can be restored as docs/operate/troubleshooting.md describes.
 */
const lostFile: Kind = {
  ...onFile,
  name: 'disk-gone',
  promise: 'If the file is gone, nothing is acknowledged, and no 200 is lost',
  short: 3,
  trialsPerDatabase: 1,
  async injectFault(attempt) {
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

const diskMegabytes = 256;

const onDisk: Pick<Kind<Disk>, 'short' | 'full' | 'findMissingRequirement' | 'withTestBed'> = {
  short: 1,
  full: 30,
  findMissingRequirement: findMissingFileSystemSupport,
  withTestBed: (run) => withDisk('sqlite', diskMegabytes, run),
};

const fullDisk: Kind<Disk> = {
  ...onDisk,
  name: 'disk-full',
  promise: 'A 200 is stored even if the disk becomes full',
  injectFault(attempt) {
    const { path } = attempt.testBed.fileSystem;
    const filler = join(path, 'filler');
    const begin = () => fillDisk(path, filler, attempt.trial.random);
    return causeOutage(attempt, { begin, end: () => fs.rmSync(filler), partial: true });
  },
};

const slowDisk: Kind<Disk> = {
  ...onDisk,
  name: 'disk-slow',
  promise: 'A 200 is stored even if the disk stalls',
  injectFault(attempt) {
    const { fileSystem } = attempt.testBed;
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
  promise: 'A 200 is stored even if the disk fails and becomes read-only',
  async injectFault({ trial, testBed: { fileSystem } }) {
    const { ledger, random } = trial;
    const service = await trial.runningService();
    const load = await trial.startLoad({ stopsOnLostReply: true }, random.below(200));
    const pids = [service.pid, ...readChildren(service.pid)];
    // Stopped so that no sync is in flight, because its result would depend on the kernel.
    await stopProcesses(pids);
    await fileSystem.makeReadOnly();
    const limit = ledger.unavailable + decisiveCreates;
    for (const pid of pids) kill(pid, 'SIGCONT');
    const isNoticed = () => service.hasEnded() || ledger.failures.length > 0 || ledger.unavailable >= limit;
    await waitUntil(isNoticed, 'creates are rejected');
    await service.killAll();
    await load.ended;
    await fileSystem.unmount();
    await fileSystem.mount();
  },
};

/** Locks and removes the SQLite file, and fills, stalls, and breaks its disk, under load. */
export const disk: Proof = [
  trialsOf(lockedFile),
  trialsOf(lostFile),
  trialsOf(fullDisk),
  trialsOf(slowDisk),
  trialsOf(brokenDisk),
];

/** Causes an outage under load. During it, every create must get a reply; after it, creates must be stored again. */
async function causeOutage(attempt: Attempt<TestBed>, outage: Outage): Promise<void> {
  const service = await attempt.trial.runningService();
  const load = await beginOutage(attempt, outage);
  await outage.end();
  await attempt.trial.waitForAcknowledgements(decisiveCreates, load);
  await endOutage(attempt, service, load);
}

/** Begins an outage, and waits until the service has noticed it. Fails if a create that is sent later is acknowledged. */
async function beginOutage(
  { trial, tally }: Attempt<TestBed>,
  { begin, delays = false, partial = false }: Omit<Outage, 'end'>,
): Promise<Load> {
  const { ledger, random } = trial;
  const service = await trial.runningService();
  const load = await trial.startLoad({}, random.below(200));
  await begin();
  if (delays) return load;
  const waitForRejections = async () => {
    const limit = ledger.unavailable + decisiveCreates;
    const hasFailed = () => ledger.failures.length > 0 || service.hasEnded();
    await waitUntil(
      () => hasFailed() || ledger.unavailable >= limit,
      `${decisiveCreates} creates are rejected`,
    );
  };
  await waitForRejections();
  const acknowledgedBefore = ledger.acknowledgements;
  await waitForRejections();
  const acknowledged = ledger.acknowledgements - acknowledgedBefore;
  if (acknowledged > 0 && !partial) tally.fail(`${acknowledged} writes were acknowledged in an outage`);
  return load;
}

/** Ends the load. Fails if the service has ended, or left a create without a reply. */
async function endOutage({ trial, tally }: Attempt<TestBed>, service: Service, load: Load): Promise<void> {
  await load.stop();
  if (trial.ledger.missingReplies > 0) tally.fail(`${trial.ledger.missingReplies} creates had no reply`);
  if (service.hasEnded()) tally.fail(`The service ended:\n${service.readLog().slice(-2_000)}`);
}

function pathOf({ trial }: Attempt): string {
  return fileURLToPath(trial.database.url);
}

/** Fills the disk, except for up to 300 kB. */
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

/** Deletes the file. Restores it and its WAL from the process that has both open, as docs/operate/troubleshooting.md describes. */
async function deleteFile(attempt: Attempt, path: string): Promise<void> {
  const service = await attempt.trial.runningService();
  const load = await beginOutage(attempt, { begin: () => fs.rmSync(path) });
  const descriptors = `/proc/${service.pid}/fd`;
  for (const descriptor of fs.readdirSync(descriptors).map((name) => join(descriptors, name))) {
    const link = readLink(descriptor);
    if (link === `${path} (deleted)`) fs.copyFileSync(descriptor, `${path}.kept`);
    if (link === `${path}-wal`) fs.copyFileSync(descriptor, `${path}.kept-wal`);
  }
  await endOutage(attempt, service, load);
  await service.killAll();
  for (const suffix of ['', '-wal']) fs.renameSync(`${path}.kept${suffix}`, `${path}${suffix}`);
  fs.rmSync(`${path}-shm`, { force: true });
}

/** Returns the target of a link, or `undefined` if it is the link of a descriptor that has been closed since. */
function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
