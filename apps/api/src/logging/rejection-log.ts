import type { Logger } from 'pino';
import type { OverloadReason } from '../errors/overload-errors.js';

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
