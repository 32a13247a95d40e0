import { Tally } from '../load/tally.js';
import { until } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { isRunning, readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';
import { compareAtEnd } from './compare-at-end.js';
import { type ServiceWithWorkers, withWorkers } from './with-workers.js';

const promise = 'SIGHUP replaces the workers, and each request gets its reply at the first attempt';

/** Replaces all workers of a service on SQLite again and again, under the load of callers that never retry. */
export function replaceWorkers(context: ProofContext): Promise<ProofResult> {
  return withWorkers(context, promise, (service) => replaceAgain(service, context));
}

async function replaceAgain(
  { trial, service, count }: ServiceWithWorkers,
  { amount, trials }: ProofContext,
): Promise<ProofResult> {
  const replacements = trials?.['replace-workers'] ?? { short: 2, full: 50 }[amount];
  const tally = new Tally();
  const { ledger } = trial;
  const load = trial.load(service, { endsWithoutReply: false });
  let done = 0;
  while (done < replacements && !service.hasEnded() && ledger.failures.length === 0) {
    await trial.acknowledgements(trial.random.below(300), load);
    await replaceOnce(service, count);
    done++;
  }
  await load.stop();
  tally.check(await trial.compareLatest(), `after ${done} replacements`);
  const failed = ledger.missingReplies + ledger.refusedConnections + ledger.unavailable + ledger.rejected;
  if (failed > 0) tally.failures.push(`${failed} requests had no reply, or an error that asks to try again`);
  if (service.hasEnded()) tally.failures.push('The service ended');
  await service.killAll();
  await compareAtEnd(trial, tally);
  return tally.toResult(promise, { replacements: done, 'failed requests': failed });
}

/** Sends SIGHUP, and waits until the workers before it have ended, and as many others run. */
async function replaceOnce(service: RunningService, count: number): Promise<void> {
  const before = readChildren(service.pid);
  process.kill(service.pid, 'SIGHUP');
  await until(
    () => service.hasEnded() || !before.some(isRunning),
    'workers that are replaced end once their connections have',
  );
  await until(
    () => service.hasEnded() || readChildren(service.pid).length === count,
    'as many workers run as before',
  );
}
