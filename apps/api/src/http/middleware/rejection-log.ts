import type { Logger } from 'pino';
import type { OverloadReason } from '../../errors/overload-errors.js';

/** How often the refusals since the last line are logged, in milliseconds. */
const intervalMs = 1_000;

/** Logs how many requests were refused for overload, and why, instead of a line for each: that would cost most of it. */
export interface RejectionLog {
  count(reason: OverloadReason): void;
}

/** @param stopping aborted once the service begins to stop: nothing is kept for a later line then */
export function createRejectionLog(log: Logger, stopping: AbortSignal): RejectionLog {
  let refused: Partial<Record<OverloadReason, number>> = {};
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    log.warn({ refused }, 'overloaded');
    refused = {};
  }

  stopping.addEventListener('abort', flush);
  return {
    count(reason) {
      refused[reason] = (refused[reason] ?? 0) + 1;
      timer ??= setTimeout(flush, intervalMs).unref();
      if (stopping.aborted) flush();
    },
  };
}
