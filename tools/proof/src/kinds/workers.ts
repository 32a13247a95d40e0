import { setTimeout as delay } from 'node:timers/promises';
import type { Kind } from '../load/kind.js';
import { withDatabases } from '../system/databases.js';
import { isRunning, killProcesses, readChildren, until } from '../system/programs.js';

/** What the kinds on a service with workers have in common: it is on SQLite. */
const withWorkers: Pick<Kind, 'findObstacle' | 'withPlace'> = {
  findObstacle: ({ settings }) =>
    Number(settings['WORKERS']) >= 2
      ? undefined
      : 'The service has no worker processes here: --setting WORKERS=2 gives it two.',
  withPlace: (trial) => withDatabases('sqlite', trial),
};

/** Kills single workers, the next one once another one listens in its place. */
export const crashWorkers: Kind = {
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
export const replaceWorkers: Kind = {
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
