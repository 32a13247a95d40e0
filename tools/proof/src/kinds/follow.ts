import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withFollowers } from '../load/followers.js';
import { createRandom } from '../load/plants.js';
import { startLoad } from '../load/start-load.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type DatabasePrograms, type Engine, withDatabases } from '../system/databases.js';
import { killProcesses, readChildren } from '../system/programs.js';
import type { Service } from '../system/service.js';
import { killService } from './crash.js';

const writesPerKill = 400;
const connections = 16;

/** Follows all changes while the service, its workers and PostgreSQL are killed under load, and started again. */
export const follow: Proof = [
  followOn('follow-sqlite', 'SQLite', 'sqlite'),
  followOn('follow-workers', 'SQLite with workers', 'sqlite', { WORKERS: '2' }),
  followOn('follow-postgresql', 'PostgreSQL with two instances', 'postgresql', {}, 2),
];

function followOn(
  name: string,
  title: string,
  engine: Engine,
  ownSettings: Readonly<Record<string, string>> = {},
  instanceCount = 1,
): Trials {
  async function prove(kills: number, { seed, settings, log }: ProofContext) {
    const tally = new Tally();
    await withDatabases(engine, async ({ folder, createDatabase, programs }) => {
      const options = {
        database: await createDatabase(),
        random: createRandom(seed),
        logFile: join(folder, 'service.log'),
        settings: { ...ownSettings, ...settings },
      };
      await withTrial(options, async (trial) => {
        const instances = Array.from(
          { length: instanceCount },
          (_, index) => new Instance(() => trial.launch(`${options.logFile}.${index}`)),
        );
        await Promise.all(instances.map((instance) => instance.start()));
        await withFollowers(trial, tally, instances, async () => {
          const { token, ledger, createPlant } = trial;
          const caller = { token, ledger, createPlant, connections: connections / instanceCount };
          const loads = instances.map((service) =>
            startLoad({ ...caller, service, random: trial.random.fork() }),
          );
          const load = { ended: Promise.all(loads.map(({ ended }) => ended)).then(() => undefined) };
          for (let kill = 0; kill < kills && ledger.failures.length === 0; tally.figures['kills'] = ++kill) {
            if (kill > 0 && kill % 10 === 0) log(`${name}: ${kill} of ${kills} kills`);
            await trial.acknowledgements(writesPerKill, load);
            await killOne(trial, tally, instances, programs);
          }
          await Promise.all(loads.map((one) => one.stop()));
        });
        await Promise.all(instances.map(({ service }) => service.killAll()));
        await tally.checkAtEnd(trial);
      });
    });
    return tally.toResult();
  }
  return {
    ...{ name, short: 4, full: 50, prove },
    promise: `Followers get each plant's last change, in one order and none before an older one, on ${title}`,
    findObstacle: () =>
      process.platform === 'linux' ? undefined : 'It needs Linux, where processes have lists of children.',
  };
}

/** A service that is started again after each kill. */
class Instance {
  service: Service;
  /** Where it is, or was until it was killed. */
  baseUrl = '';

  constructor(private readonly launch: () => Service) {
    this.service = launch();
  }

  async start(): Promise<void> {
    if (this.service.hasEnded()) this.service = this.launch();
    await this.service.started;
    this.baseUrl = this.service.baseUrl;
  }
}

/** Kills a service, a worker of it, PostgreSQL, or all at the same time, and starts what was killed. */
async function killOne(
  { random }: Trial,
  tally: Tally,
  instances: readonly Instance[],
  server: DatabasePrograms | undefined,
): Promise<void> {
  const instance = random.pick(instances);
  const workers = readChildren(instance.service.pid);
  const targets = [
    'a service',
    ...(workers.length > 0 ? ['a worker'] : []),
    ...(server ? ['PostgreSQL', 'all'] : []),
  ];
  // Each first once, so that a short run has all.
  const killed = targets[Number(tally.figures['kills'] ?? 0)] ?? random.pick(targets);
  tally.add(`of ${killed}`);
  if (killed === 'a worker') return killProcesses([random.pick(workers)]);
  const services = killed === 'all' ? instances : killed === 'a service' ? [instance] : [];
  const killedServer = killed === 'a service' ? undefined : server;
  await Promise.all([
    ...services.map(({ service }) => killService(service, random)),
    killedServer?.killAll(),
  ]);
  await delay(random.below(300));
  await killedServer?.start();
  await Promise.all(services.map((one) => one.start()));
}
