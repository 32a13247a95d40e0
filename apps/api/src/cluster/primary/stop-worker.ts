import type { Logger } from 'pino';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { WorkerEnd } from '../calls.js';
import type { WorkerProcess } from './worker-process.js';

/** How long a process that has stopped may take to end, in milliseconds. */
const endMs = 1_000;

/**
 * Stops the service of a process, and ends the process if it is late. It never rejects; what goes wrong is logged.
 *
 * @param how `retire` waits until its connections have ended
 * @param timeoutMs by default it may take as long as it needs
 * @returns how it stopped; `undefined` if it did not
 */
export function stopWorker(
  process: Pick<WorkerProcess, 'calls' | 'isRunning' | 'kill' | 'pid'>,
  how: 'stop' | 'retire',
  log: Logger,
  timeoutMs?: number,
): Promise<WorkerEnd | undefined> {
  const { pid } = process;
  const stopped = process.calls.call(how, null).catch((error: unknown) => {
    // That a process has ended by itself is logged elsewhere.
    if (process.isRunning()) log.error({ pid, err: error }, 'worker did not stop');
    return undefined;
  });
  if (timeoutMs === undefined) return stopped;
  return withTimeout(stopped, timeoutMs, () => {
    log.error({ pid, timeoutMs }, 'worker did not stop in time');
    process.kill();
    return undefined;
  });
}

/** Lets a process that has stopped end by itself; ends it if it does not. */
export async function endWorker(
  process: Pick<WorkerProcess, 'disconnect' | 'ended' | 'kill'>,
): Promise<void> {
  process.disconnect();
  await withTimeout(process.ended, endMs, process.kill);
}
