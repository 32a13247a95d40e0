import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, DatabaseServer, Engine } from '../databases/database.js';
import { startPostgresqlServer } from '../databases/postgresql.js';
import { createSqliteServer } from '../databases/sqlite.js';
import { withFolder } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { killProcesses, readChildren, stopProcesses } from '../service/process-tree.js';
import { type FileSystem, findObstacle, withFileSystem } from '../storage/file-system.js';
import { compareAtEnd } from './compare-at-end.js';

/** A store on a file system that loses its power. */
interface Machine {
  readonly database: Database;
  readonly fileSystem: FileSystem;
  /** The ids of the processes that run on the machine besides the service. */
  readPids(): readonly number[];
  /** Starts it again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const titles: Readonly<Record<Engine, string>> = { sqlite: 'SQLite', postgresql: 'PostgreSQL' };
/** Room for a new PostgreSQL, its write-ahead log, and the plants of all trials. */
const megabytes = 1_024;

/** Stops the file system under load, so that only what was synchronized to the disk remains. */
export async function crashMachine(context: ProofContext, engine: Engine): Promise<ProofResult> {
  const { seed, amount, settings, trials, log } = context;
  const promise = `A 200 survives a loss of power, on ${titles[engine]}`;
  const notRun = await findObstacle();
  if (notRun !== undefined) return { promise, figures: {}, failures: [], notRun };
  const losses = trials?.[`power-${engine}`] ?? { short: 2, full: 100 }[amount];
  const tally = new Tally();
  let done = 0;
  await withFolder((folder) =>
    withFileSystem(folder, megabytes, async (fileSystem) => {
      const machine = await createMachine(engine, fileSystem);
      const { database } = machine;
      const logFile = join(folder, 'service.log');
      const options = { database, random: createRandom(seed), logFile, settings };
      await withTrial(options, async (trial) => {
        while (done < losses && tally.failures.length === 0) {
          await losePowerOnce(trial, machine, tally, `after loss ${done}`);
          done++;
          if (done % 25 === 0) log(`${titles[engine]} lost its power ${done} of ${losses} times`);
        }
        await compareAtEnd(trial, tally);
      });
      await machine.stop();
    }),
  );
  return tally.toResult(promise, { 'losses of power': done });
}

async function createMachine(engine: Engine, fileSystem: FileSystem): Promise<Machine> {
  if (engine === 'sqlite') {
    const server: DatabaseServer = createSqliteServer(fileSystem.path);
    const nothing = async () => undefined;
    const database = await server.createDatabase();
    return { database, fileSystem, readPids: () => [], start: nothing, stop: nothing };
  }
  const server = await startPostgresqlServer(fileSystem.path, { max_wal_size: '64MB' });
  return {
    database: await server.createDatabase(),
    fileSystem,
    readPids: () => server.readPids(),
    start: () => server.start(),
    stop: () => server.stop(),
  };
}

async function losePowerOnce(trial: Trial, machine: Machine, tally: Tally, when: string): Promise<void> {
  const { random } = trial;
  const { fileSystem } = machine;
  const service = await trial.launch().started;
  tally.check(await trial.compareLatest(), when);
  const load = trial.load(service, { endsWithoutReply: true });
  await trial.acknowledgements(random.below(300), load);
  await delay(random.below(10));
  const pids = [service.pid, ...readChildren(service.pid), ...machine.readPids()];
  // At one instant nothing runs any more. Otherwise a program could use the file system while it loses its power, and be
  // answered what no machine without power answers.
  await stopProcesses(pids);
  await fileSystem.losePower();
  await killProcesses(pids);
  await load.ended;
  await fileSystem.unmount();
  await fileSystem.mount();
  await machine.start();
}
