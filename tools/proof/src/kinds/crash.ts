import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Trial } from '../load/trial.js';
import type { Proof } from '../proof.js';
import { type DatabasePrograms, type Engine, withDatabases } from '../system/databases.js';
import { type Disk, findNoFileSystem, withDisk } from '../system/file-system.js';
import { isRunning, killProcesses, readChildren, stopProcesses, until } from '../system/programs.js';
import type { Service } from '../system/service.js';

const crashSqlite: Kind = {
  name: 'crash-sqlite',
  promise: 'A 200 survives a crash of the service on SQLite',
  short: 8,
  full: 1_000,
  trialsPerDatabase: 50,
  withPlace: (trial) => withDatabases('sqlite', trial),
  async breakOnce({ trial }) {
    await killUnderLoad(trial);
    if (trial.random.next() >= 0.1) return;
    // Kills it again while it recovers.
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
  findObstacle: () =>
    process.platform === 'linux' ? undefined : 'It needs Linux, where processes have lists of children.',
  withPlace: (trial) => withDatabases('postgresql', trial),
  async breakOnce({ trial, place: { programs }, tally, index }) {
    // Each program is killed once first, so that a short run covers all.
    const killed = killedPrograms[index] ?? trial.random.pick(killedPrograms);
    tally.add(`of ${killed}`);
    if (killed === 'PostgreSQL') await killPostgresql(trial, programs);
    else await killUnderLoad(trial, killed === 'both' ? programs : undefined);
  },
};

/** The common part of the kinds with workers: they use SQLite. */
const withWorkers: Pick<Kind, 'findObstacle' | 'withPlace'> = {
  findObstacle: ({ settings }) =>
    Number(settings['WORKERS']) >= 2
      ? undefined
      : 'The service has no worker processes here: --setting WORKERS=2 gives it two.',
  withPlace: (trial) => withDatabases('sqlite', trial),
};

/** Kills single workers, each after the replacement of the previous one listens. */
const crashWorkers: Kind = {
  ...withWorkers,
  name: 'crash-workers',
  promise: 'A worker that is killed loses no 200, and the others serve until it is replaced',
  short: 5,
  full: 200,
  async breakOnce({ trial, tally, index }) {
    const service = await trial.service();
    const load = await trial.load();
    await delay(trial.random.below(10));
    await killProcesses([trial.random.pick(readChildren(service.pid))]);
    const killedAt = performance.now();
    await trial.acknowledgements(1, load);
    tally.max('longest time until the next 200 in ms', performance.now() - killedAt);
    await trial.acknowledgements(50, load);
    await load.stop();
    const countReplaced = () => service.readLog().split('"msg":"worker started"').length - 1;
    await until(() => service.hasEnded() || countReplaced() > index, 'a killed worker is replaced');
    if (service.hasEnded()) tally.fail('The service ended');
    tally.max('connections refused', trial.ledger.refusedConnections);
    if (trial.ledger.refusedConnections > 0) tally.fail('Connections were refused');
  },
};

/** Replaces all workers, under the load of callers that never retry. */
const replaceWorkers: Kind = {
  ...withWorkers,
  name: 'replace-workers',
  promise: 'SIGHUP replaces the workers, and each request gets its reply at the first attempt',
  short: 2,
  full: 50,
  async breakOnce({ trial, tally }) {
    const { ledger } = trial;
    const service = await trial.service();
    const load = await trial.load();
    const before = readChildren(service.pid);
    process.kill(service.pid, 'SIGHUP');
    const areReplaced = () => !before.some(isRunning) && readChildren(service.pid).length === before.length;
    await until(() => service.hasEnded() || areReplaced(), 'other workers run, and those before have ended');
    await load.stop();
    const failed = ledger.missingReplies + ledger.refusedConnections + ledger.unavailable + ledger.rejected;
    tally.max('failed requests', failed);
    if (failed > 0) tally.fail(`${failed} requests had no reply, or an error that asks to try again`);
    if (service.hasEnded()) tally.fail('The service ended');
  },
};

/** Room for a new PostgreSQL, its write-ahead log, and the records of all trials. */
const megabytes = 1_024;

/** Stops the file system under load, so that only synced data remains. */
function losePower(engine: Engine, title: string): Kind<Disk> {
  return {
    name: `power-${engine}`,
    promise: `A 200 survives a loss of power, on ${title}`,
    short: 2,
    full: 100,
    followed: 1,
    findObstacle: findNoFileSystem,
    withPlace: (trial) => withDisk(engine, megabytes, trial),
    async breakOnce({ trial, place: { programs, fileSystem } }) {
      const service = await trial.service();
      const load = await trial.load({ endsWithoutReply: true });
      await delay(trial.random.below(10));
      const pids = [service.pid, ...readChildren(service.pid), ...(programs?.readPids() ?? [])];
      // Stops all processes at once. Otherwise a program could use the file system while it loses power, and get replies that a machine
      // without power would not give.
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
 * Kills the service, its workers, PostgreSQL, and the file system under load, at seeded times, and after each restart compares the stored
 * records with the acknowledged ones. Also replaces workers.
 */
export const crash: Proof = [
  trialsOf(crashSqlite),
  trialsOf(crashWorkers),
  trialsOf(replaceWorkers),
  trialsOf(losePower('sqlite', 'SQLite')),
  trialsOf(losePower('postgresql', 'PostgreSQL')),
  trialsOf(crashPostgresql),
];

/** Kills the service under load, and a server at the same time. */
async function killUnderLoad(trial: Trial, programs?: DatabasePrograms): Promise<void> {
  const service = await trial.service();
  const load = await trial.load({ endsWithoutReply: true });
  await delay(trial.random.below(10));
  await Promise.all([killService(service, trial.random), programs?.killAll()]);
  await load.ended;
  await programs?.start();
}

/** Kills PostgreSQL under load, and starts it again. The service must reconnect automatically. */
async function killPostgresql(trial: Trial, programs: DatabasePrograms | undefined): Promise<void> {
  const service = await trial.service();
  const load = await trial.load();
  await delay(trial.random.below(10));
  await programs?.killAll();
  await delay(trial.random.below(300));
  await programs?.start();
  await trial.acknowledgements(20, load);
  await load.stop();
  if (service.hasEnded()) throw new Error(`The service ended without PostgreSQL:\n${service.readLog()}`);
}

/**
 * Kills a service: all its processes at once or, half of the time if it has workers, only the primary; then the workers must exit on their
 * own. Resolves once all have ended.
 */
export async function killService(service: Service, random: Random): Promise<void> {
  const primaryOnly = random.next() < 0.5;
  const workers = readChildren(service.pid);
  if (primaryOnly && workers.length > 0) await service.kill('SIGKILL');
  else await service.killAll();
  await until(() => !workers.some(isRunning), 'the workers of a killed service have ended');
}
