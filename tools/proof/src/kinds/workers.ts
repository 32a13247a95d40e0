import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kind } from '../load/kind.js';
import type { Trial } from '../load/trial.js';
import { withDatabases } from '../system/databases.js';
import {
  isRunning,
  killGroup,
  killProcesses,
  processEnd,
  readChildren,
  startProgram,
  until,
} from '../system/programs.js';
import type { Service } from '../system/service.js';

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

/** How many processes open and close connections, and how many each has at a time. */
const strangers = 2;
const connectionsOfEach = 512;

/** Opens connections and closes them, until the process is ended. */
const stranger = `
  const { connect } = require('node:net');
  const open = () => connect(Number(process.argv[1]), '127.0.0.1', function () { this.destroy(); }).on('error', () => {}).on('close', open);
  for (let count = 0; count < ${connectionsOfEach}; count++) open();
`;

/**
 * Compares the creates of callers with kept connections while strangers open and close connections with those without: at
 * least half as many, none slower than a second, no worker ended, and no descriptor of the primary process for a connection.
 */
export const churnWorkers: Kind = {
  ...withWorkers,
  name: 'churn-workers',
  promise: 'Strangers that open and close connections do not stall a service with workers',
  short: 1,
  full: 1,
  async breakOnce({ trial, tally, context: { amount } }) {
    const service = await trial.service();
    const seconds = { short: 2, full: 75 }[amount];
    const workers = readChildren(service.pid);
    const calm = await measure(trial, service, Math.min(seconds, 15));
    const children = Array.from({ length: strangers }, () =>
      startProgram(process.execPath, ['-e', stranger, new URL(service.baseUrl).port], {
        env: {},
        stdio: 'ignore',
      }),
    );
    const churned = await measure(trial, service, seconds);
    children.forEach(killGroup);
    await Promise.all(children.map(processEnd));
    if (churned.perSecond < calm.perSecond / 2)
      tally.fail(`${churned.perSecond} creates/s instead of ${calm.perSecond}`);
    if (churned.longestMs >= 1_000) tally.fail(`A create took ${churned.longestMs} ms`);
    if (churned.descriptors > calm.descriptors + 20)
      tally.fail(`The primary process had ${churned.descriptors} descriptors, not ${calm.descriptors}`);
    if (readChildren(service.pid).join() !== workers.join()) tally.fail('A worker was ended');
    const failed = trial.ledger.missingReplies + trial.ledger.refusedConnections;
    if (failed > 0) tally.fail(`${failed} requests had no reply`);
    Object.assign(tally.figures, {
      seconds,
      'creates/s before': calm.perSecond,
      'creates/s': churned.perSecond,
      'longest create in ms': churned.longestMs,
      'descriptors of the primary process before': calm.descriptors,
      'and at most': churned.descriptors,
    });
  },
};

/** Loads the service, and watches the descriptors of its primary process. */
async function measure(trial: Trial, service: Service, seconds: number) {
  const { ledger } = trial;
  const load = await trial.load({}, 50);
  const startedAt = performance.now();
  const before = ledger.acknowledgements;
  let descriptors = 0;
  while (performance.now() - startedAt < seconds * 1_000) {
    descriptors = Math.max(descriptors, countDescriptors(service.pid));
    await delay(100);
  }
  const perSecond = ((ledger.acknowledgements - before) / (performance.now() - startedAt)) * 1_000;
  await load.stop();
  return { perSecond: Math.round(perSecond), longestMs: Math.round(load.longestReplyMs()), descriptors };
}

function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
