import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Trial } from '../load/trial.js';
import type { Proof } from '../proof.js';
import { type DatabasePrograms, type Engine, withDatabases } from '../system/databases.js';
import { type Disk, findMissingFileSystemSupport, withDisk } from '../system/file-system.js';
import { isRunning, killProcesses, readChildren, stopProcesses, waitUntil } from '../system/programs.js';
import type { Service } from '../system/service.js';

/** The probability that the service is killed again while it recovers. */
const crashInRecoveryProbability = 0.1;

const crashSqlite: Kind = {
  name: 'crash-sqlite',
  promise: 'A 200 survives a crash of the service on SQLite',
  short: 8,
  full: 1_000,
  trialsPerDatabase: 50,
  withTestBed: (run) => withDatabases('sqlite', run),
  async injectFault({ trial }) {
    await killUnderLoad(trial);
    if (trial.random.next() >= crashInRecoveryProbability) return;
    const launched = trial.launch();
    await delay(trial.random.below(500));
    await launched.killAll();
  },
};

const killedPrograms = ['PostgreSQL', 'the service', 'both'] as const;

const crashPostgresql: Kind = {
  name: 'crash-postgresql',
  promise: 'A 200 survives a crash of PostgreSQL, of the service on it, and of both',
  short: 3,
  full: 300,
  trialsPerDatabase: 50,
  findMissingRequirement: () =>
    process.platform === 'linux'
      ? undefined
      : 'It needs Linux, which lists the child processes of a process.',
  withTestBed: (run) => withDatabases('postgresql', run),
  async injectFault({ trial, testBed: { programs }, tally, index }) {
    // The first attempts kill each program once, so that a short run covers all.
    const killed = killedPrograms[index] ?? trial.random.pick(killedPrograms);
    tally.add(`of ${killed}`);
    if (killed === 'PostgreSQL') await killPostgresql(trial, programs);
    else await killUnderLoad(trial, killed === 'both' ? programs : undefined);
  },
};

/** What the kinds with workers have in common. All use SQLite. */
const workersOnSqlite: Pick<Kind, 'findMissingRequirement' | 'withTestBed'> = {
  findMissingRequirement: ({ settings }) =>
    Number(settings['WORKERS']) >= 2
      ? undefined
      : 'It needs worker processes: --setting WORKERS=2 starts two.',
  withTestBed: (run) => withDatabases('sqlite', run),
};

/** Kills one worker at a time, each after the replacement of the previous one has started. */
const crashWorkers: Kind = {
  ...workersOnSqlite,
  name: 'crash-workers',
  promise: 'A 200 survives a crash of a worker, and the other workers serve until it is replaced',
  short: 5,
  full: 200,
  async injectFault({ trial, tally, index }) {
    const service = await trial.runningService();
    const load = await trial.startLoad();
    await delay(trial.random.below(10));
    await killProcesses([trial.random.pick(readChildren(service.pid))]);
    const killedAt = performance.now();
    await trial.waitForAcknowledgements(1, load);
    tally.max('longest time until the next 200 in ms', performance.now() - killedAt);
    await trial.waitForAcknowledgements(50, load);
    await load.stop();
    const countReplaced = () => service.readLog().split('"msg":"worker started"').length - 1;
    await waitUntil(() => service.hasEnded() || countReplaced() > index, 'a killed worker is replaced');
    if (service.hasEnded()) tally.fail('The service ended');
    tally.max('connections refused', trial.ledger.refusedConnections);
    if (trial.ledger.refusedConnections > 0) tally.fail('Connections were refused');
  },
};

/** Replaces all workers under load. The callers never retry. */
const replaceWorkers: Kind = {
  ...workersOnSqlite,
  name: 'replace-workers',
  promise: 'SIGHUP replaces the workers, and every request gets its reply in the first attempt',
  short: 2,
  full: 50,
  async injectFault({ trial, tally }) {
    const { ledger } = trial;
    const service = await trial.runningService();
    const load = await trial.startLoad();
    const oldWorkers = readChildren(service.pid);
    process.kill(service.pid, 'SIGHUP');
    const areReplaced = () =>
      !oldWorkers.some(isRunning) && readChildren(service.pid).length === oldWorkers.length;
    await waitUntil(
      () => service.hasEnded() || areReplaced(),
      'new workers run, and the old ones have ended',
    );
    await load.stop();
    const failed = ledger.missingReplies + ledger.refusedConnections + ledger.unavailable + ledger.rejected;
    tally.max('failed requests', failed);
    if (failed > 0) tally.fail(`${failed} requests had no reply, or an error that asks to try again`);
    if (service.hasEnded()) tally.fail('The service ended');
  },
};

/** The disk must have space for a new PostgreSQL, its write-ahead log, and the records of all trials. */
const diskMegabytes = 1_024;

/** Returns a kind that shuts down the file system under load, so that only synced data remains. */
function powerLossOn(engine: Engine, title: string): Kind<Disk> {
  return {
    name: `power-${engine}`,
    promise: `A 200 survives a loss of power, on ${title}`,
    short: 2,
    full: 100,
    followedInstances: 1,
    findMissingRequirement: findMissingFileSystemSupport,
    withTestBed: (run) => withDisk(engine, diskMegabytes, run),
    async injectFault({ trial, testBed: { programs, fileSystem } }) {
      const service = await trial.runningService();
      const load = await trial.startLoad({ stopsOnLostReply: true });
      await delay(trial.random.below(10));
      const pids = [service.pid, ...readChildren(service.pid), ...(programs?.readPids() ?? [])];
      // Otherwise a program could use the file system during the loss of power, and get results that a machine without power would not
      // give.
      await stopProcesses(pids);
      await fileSystem.losePower();
      await killProcesses(pids);
      await load.ended;
      await fileSystem.unmount();
      await fileSystem.mount();
      await programs?.start();
    },
  };
}

/**
 * Kills the service, its workers, and PostgreSQL, and shuts down the file system, under load and at seeded times. After each restart,
 * compares the stored records with the acknowledged records. Also replaces workers.
 */
export const crash: Proof = [
  trialsOf(crashSqlite),
  trialsOf(crashWorkers),
  trialsOf(replaceWorkers),
  trialsOf(powerLossOn('sqlite', 'SQLite')),
  trialsOf(powerLossOn('postgresql', 'PostgreSQL')),
  trialsOf(crashPostgresql),
];

/** Kills the service under load and, if given, a database server at the same time. */
async function killUnderLoad(trial: Trial, programs?: DatabasePrograms): Promise<void> {
  const service = await trial.runningService();
  const load = await trial.startLoad({ stopsOnLostReply: true });
  await delay(trial.random.below(10));
  await Promise.all([killService(service, trial.random), programs?.killAll()]);
  await load.ended;
  await programs?.start();
}

/** Kills PostgreSQL under load, and starts it again. The service must reconnect automatically. */
async function killPostgresql(trial: Trial, programs: DatabasePrograms | undefined): Promise<void> {
  const service = await trial.runningService();
  const load = await trial.startLoad();
  await delay(trial.random.below(10));
  await programs?.killAll();
  await delay(trial.random.below(300));
  await programs?.start();
  await trial.waitForAcknowledgements(20, load);
  await load.stop();
  if (service.hasEnded()) throw new Error(`The service ended without PostgreSQL:\n${service.readLog()}`);
}

/**
 * Kills all processes of a service at the same time. If the service has workers, half of the time kills only the primary process, and the
 * workers must exit. Resolves once all have ended.
 */
export async function killService(service: Service, random: Random): Promise<void> {
  const killsOnlyPrimary = random.next() < 0.5;
  const workers = readChildren(service.pid);
  if (killsOnlyPrimary && workers.length > 0) await service.kill('SIGKILL');
  else await service.killAll();
  await waitUntil(() => !workers.some(isRunning), 'the workers of a killed service have ended');
}
