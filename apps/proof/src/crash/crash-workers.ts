import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabases } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, until, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { killProcesses, readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';
import { compareAtEnd } from './compare-at-end.js';

const promise = 'A worker that is killed loses no 200, and is replaced under the same address';

/**
 * Kills single workers of a service on SQLite that has several. The next kill may come before the worker is replaced, so that
 * none runs: then connections are refused until one does.
 */
export function crashWorkers(context: ProofContext): Promise<ProofResult> {
  const { seed, settings } = context;
  return withDatabases('sqlite', async ({ folder, server }) => {
    const database = await server.createDatabase();
    const logFile = join(folder, 'service.log');
    const options = { database, random: createRandom(seed), logFile, settings };
    return withTrial(options, (trial) => killWorkers(trial, context));
  });
}

async function killWorkers(trial: Trial, { amount, trials, log }: ProofContext): Promise<ProofResult> {
  const kills = trials?.['crash-workers'] ?? { short: 5, full: 200 }[amount];
  const tally = new Tally();
  const service = await trial.launch().started;
  const count = readChildren(service.pid).length;
  if (count < 2) {
    const notRun = 'The service has no worker processes here.';
    return { promise, figures: {}, failures: [], notRun };
  }
  let longestMs = 0;
  let done = 0;
  while (done < kills && tally.failures.length === 0) {
    longestMs = Math.max(longestMs, await killWorker(trial, service, count));
    done++;
    tally.check(await trial.compareLatest(), `after kill ${done}`);
    if (service.hasEnded()) tally.failures.push('The service ended');
    if (done % 50 === 0) log(`killed ${done} of ${kills} workers`);
  }
  await service.killAll();
  await compareAtEnd(trial, tally);
  return tally.toResult(promise, {
    kills: done,
    'connections refused': trial.ledger.refusedConnections,
    'longest time until the next 200 in ms': Math.round(longestMs),
  });
}

/**
 * Kills one worker under load, and waits until creates are acknowledged again and the worker is replaced.
 *
 * @returns how long no create was acknowledged, in milliseconds
 */
async function killWorker(trial: Trial, service: RunningService, count: number): Promise<number> {
  const { random } = trial;
  const load = trial.load(service, { endsWithoutReply: false });
  await trial.acknowledgements(random.below(300), load);
  await delay(random.below(10));
  await killProcesses([random.pick(readChildren(service.pid))]);
  const killedAt = performance.now();
  await trial.acknowledgements(1, load);
  const unavailableMs = performance.now() - killedAt;
  await trial.acknowledgements(50, load);
  await until(
    () => service.hasEnded() || readChildren(service.pid).length === count,
    'a killed worker is replaced',
  );
  await load.stop();
  return unavailableMs;
}
