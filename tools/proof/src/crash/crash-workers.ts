import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Tally } from '../load/tally.js';
import { type Trial, until } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { killProcesses, readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';
import { compareAtEnd } from './compare-at-end.js';
import { type ServiceWithWorkers, withWorkers } from './with-workers.js';

const promise = 'A worker that is killed loses no 200, and the others serve until it is replaced';

/** Kills single workers of a service on SQLite that has several, the next one once another one listens in its place. */
export function crashWorkers(context: ProofContext): Promise<ProofResult> {
  return withWorkers(context, promise, (service) => killWorkers(service, context));
}

async function killWorkers(
  { trial, service, logFile }: ServiceWithWorkers,
  { amount, trials, log }: ProofContext,
): Promise<ProofResult> {
  const kills = trials?.['crash-workers'] ?? { short: 5, full: 200 }[amount];
  const tally = new Tally();
  let longestMs = 0;
  let done = 0;
  while (done < kills && tally.failures.length === 0) {
    longestMs = Math.max(longestMs, await killWorker(trial, service));
    done++;
    await until(() => service.hasEnded() || countReplaced(logFile) >= done, 'a killed worker is replaced');
    tally.check(await trial.compareLatest(), `after kill ${done}`);
    if (service.hasEnded()) tally.failures.push('The service ended');
    if (done % 50 === 0) log(`killed ${done} of ${kills} workers`);
  }
  const refused = trial.ledger.refusedConnections;
  if (refused > 0) tally.failures.push(`${refused} connections were refused`);
  await service.killAll();
  await compareAtEnd(trial, tally);
  return tally.toResult(promise, {
    kills: done,
    'connections refused': refused,
    'longest time until the next 200 in ms': Math.round(longestMs),
  });
}

/**
 * Kills one worker under load, and waits until creates are acknowledged again.
 *
 * @returns how long no create was acknowledged, in milliseconds
 */
async function killWorker(trial: Trial, service: RunningService): Promise<number> {
  const { random } = trial;
  const load = trial.load(service, { endsWithoutReply: false });
  await trial.acknowledgements(random.below(300), load);
  await delay(random.below(10));
  await killProcesses([random.pick(readChildren(service.pid))]);
  const killedAt = performance.now();
  await trial.acknowledgements(1, load);
  const unavailableMs = performance.now() - killedAt;
  await trial.acknowledgements(50, load);
  await load.stop();
  return unavailableMs;
}

/** How many workers have been replaced so far, as the service logs it. */
function countReplaced(logFile: string): number {
  return readFileSync(logFile, 'utf8').split('"msg":"worker started"').length - 1;
}
