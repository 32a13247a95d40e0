import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Proof } from '../proof.js';
import { type Engine, withDatabases } from '../system/databases.js';
import { killProcesses, readChildren } from '../system/programs.js';
import { killService } from './crash.js';

const writesPerKill = 400;

/** Returns a kind that kills a service, one of its workers, PostgreSQL, or all at the same time, under load. */
function crashesOn(
  name: string,
  title: string,
  engine: Engine,
  followedInstances: number,
  settings: Readonly<Record<string, string>> = {},
): Kind {
  return {
    name,
    settings,
    followedInstances,
    short: 4,
    full: 50,
    promise: `Followers get the last change of each record in order, and never an older change after a newer one, on ${title}`,
    findMissingRequirement: () =>
      process.platform === 'linux'
        ? undefined
        : 'It needs Linux, which lists the child processes of a process.',
    withTestBed: (run) => withDatabases(engine, run),
    async injectFault({ trial, testBed: { programs: server }, tally, index }) {
      const { random } = trial;
      const instances = [...Array(followedInstances).keys()];
      const startServices = () => Promise.all(instances.map((instance) => trial.runningService(instance)));
      const services = await startServices();
      const loads = await Promise.all(
        instances.map((instance) => trial.startLoad({}, writesPerKill, instance)),
      );
      const service = random.pick(services);
      const workers = readChildren(service.pid);
      const targets = [
        'a service',
        ...workers.slice(0, 1).map(() => 'a worker'),
        ...(server ? ['PostgreSQL', 'all'] : []),
      ];
      // The first attempts kill each target once, so that a short run covers all.
      const killed = targets[index] ?? random.pick(targets);
      tally.add(`of ${killed}`);
      await delay(random.below(10));
      const killedServices = killed === 'all' ? services : killed === 'a service' ? [service] : [];
      const killedServer = killed === 'all' || killed === 'PostgreSQL' ? server : undefined;
      if (killed === 'a worker') await killProcesses([random.pick(workers)]);
      await Promise.all([
        ...killedServices.map((killedService) => killService(killedService, random)),
        killedServer?.killAll(),
      ]);
      await killedServer?.start();
      await startServices();
      // Connections to killed instances are refused.
      await Promise.all(loads.map((load) => load.stop()));
    },
  };
}

/** Follows all changes while the service, its workers, and PostgreSQL are killed under load and restarted. */
export const follow: Proof = [
  trialsOf(crashesOn('follow-sqlite', 'SQLite', 'sqlite', 1)),
  trialsOf(crashesOn('follow-workers', 'SQLite with workers', 'sqlite', 1, { WORKERS: '2' })),
  trialsOf(crashesOn('follow-postgresql', 'PostgreSQL with two instances', 'postgresql', 2)),
];
