import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type OverloadReason, overloadErrors } from '../errors/service-error.js';
import { createCounter } from './create-counter.js';

/** Counts the requests that were rejected for overload, by the limit that was reached. */
export function countRejections(rejections: RejectionLog, registry: Registry): RejectionLog {
  const reasons = Object.keys(overloadErrors);
  const countRejection = createCounter(
    registry,
    {
      name: 'plant_store_overload_rejections_total',
      help: `Requests rejected with overloaded, by reason: ${reasons.join(', ')}`,
      labels: ['reason'],
    },
    reasons,
  );
  return {
    count(reason) {
      countRejection(reason);
      rejections.count(reason);
    },
  };
}

/** How often the rejections since the last line are logged, in milliseconds. */
const intervalMs = 1_000;

/**
 * Logs how many requests were rejected for overload, and why. A line for each would cost more than the rest of a rejection.
 */
export interface RejectionLog {
  count(reason: OverloadReason): void;
}

/** @param stopping aborted once the service begins to stop: what is counted is then logged immediately */
export function createRejectionLog(log: Logger, stopping: AbortSignal): RejectionLog {
  let rejected: Partial<Record<OverloadReason, number>> = {};
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    log.warn({ rejected }, 'overloaded');
    rejected = {};
  }

  stopping.addEventListener('abort', flush);
  return {
    count(reason) {
      rejected[reason] = (rejected[reason] ?? 0) + 1;
      timer ??= setTimeout(flush, intervalMs).unref();
      if (stopping.aborted) flush();
    },
  };
}
