import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { WorkerProcess } from './worker-process.js';

/** How often a worker is asked whether it hangs, and how long it may take to answer, in milliseconds. */
export interface WorkerWatch {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** Where it is logged that a worker hangs, and when that is. */
export interface WatchOptions {
  readonly log: Logger;
  /** By default every 10 seconds, and 30 seconds for the answer: after a turn of its event loop that long none recovers. */
  readonly watch?: WorkerWatch;
}

const defaultWatch: WorkerWatch = { everyMs: 10_000, timeoutMs: 30_000 };

/** Ends a worker that hangs, so that it is replaced: connections are passed to it, and nobody would answer them. */
export async function endIfHanging(
  number: number,
  worker: Pick<WorkerProcess, 'calls' | 'ended' | 'kill' | 'pid'>,
  { log, watch: { everyMs, timeoutMs } = defaultWatch }: WatchOptions,
): Promise<void> {
  let ended = false;
  void worker.ended.then(() => {
    ended = true;
  });
  for (;;) {
    await delay(everyMs, undefined, { ref: false });
    if (ended) return;
    // One that has ended rejects.
    const answer = worker.calls.call('ping', null).catch(() => undefined);
    const isLate = await withTimeout(
      answer.then(() => false),
      timeoutMs,
      () => true,
    );
    if (isLate && !ended) {
      log.error({ worker: number, pid: worker.pid }, 'worker hangs');
      worker.kill();
      return;
    }
  }
}
