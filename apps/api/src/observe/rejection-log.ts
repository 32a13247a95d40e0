import { Counter, type Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import { type OverloadReason, overloadErrors } from '../errors/service-error.js';
import { createCounter } from './metrics.js';

/** How often rejections are logged, in milliseconds. A line for each rejection would cost more than the rejection itself. */
const intervalMs = 1_000;

/**
 * Creates a function to call with each request that is rejected for overload. The function counts the rejections by the limit that was
 * reached.
 *
 * @param stopping aborted once the service begins to stop. Pending counts are then logged immediately
 */
export function createRejectionLog(log: Logger, stopping: AbortSignal, metrics?: Registry) {
  const reasons = Object.keys(overloadErrors);
  const countMetric =
    metrics &&
    createCounter(metrics, {
      name: 'plant_store_overload_rejections_total',
      help: `Requests rejected with the overloaded error, by reason: ${reasons.join(', ')}`,
      labelName: 'reason',
      initial: reasons,
    });
  const count = countInIntervals(stopping, (rejected) => log.warn({ rejected }, 'overloaded'));
  return function countRejection(reason: OverloadReason): void {
    countMetric?.(reason);
    count(reason);
  };
}

/**
 * Creates a function to call with each connection that is closed on arrival, because the limit on open files allows no more. The function
 * counts and logs them like the rejections.
 */
export function createConnectionLog(
  log: Logger,
  allowed: number,
  stopping: AbortSignal,
  metrics: Registry | undefined,
) {
  const rejections =
    metrics &&
    new Counter({
      name: 'plant_store_http_connections_rejected_total',
      help: 'Connections closed on arrival, because the limit on open files has been reached',
      registers: [metrics],
    });
  const message = 'connections are closed on arrival: the limit on open files allows no more connections';
  const count = countInIntervals(stopping, ({ rejected }) => log.warn({ rejected, allowed }, message));
  return function countConnection(): void {
    rejections?.inc();
    count('rejected');
  };
}

/** Counts events by kind and reports the counts once in each interval with an event, or immediately once the service stops. */
function countInIntervals<Kind extends string>(
  stopping: AbortSignal,
  report: (counts: Partial<Record<Kind, number>>) => void,
): (kind: Kind) => void {
  let counts: Partial<Record<Kind, number>> = {};
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    report(counts);
    counts = {};
  }

  stopping.addEventListener('abort', flush);
  return function count(kind) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    timer ??= setTimeout(flush, intervalMs).unref();
    if (stopping.aborted) flush();
  };
}
