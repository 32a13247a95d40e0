import { retry } from '../../runtime/retry.js';
import { isBusy } from './errors/driver-error.js';

/** How long to wait between attempts, in milliseconds. */
const delayMs = 10;

/**
 * Runs an action, and retries it while another process has locked the file, until the timeout. Unlike SQLite's own busy
 * timeout it does not block the thread.
 *
 * @throws what the last attempt threw
 */
export function retryWhileBusy<Result>(action: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  return retry(action, isBusy, { timeoutMs, delayMs });
}
