import { afterEach, expect, it, vi } from 'vitest';
import { OperatorError } from '../errors/operator-error.js';
import { databaseDamaged, databaseUnavailable } from '../store/database.js';
import { retryWhileUnavailable } from './database.js';

afterEach(() => void vi.restoreAllMocks());

const unavailable = databaseUnavailable(new Error('connection refused'));

it('reports the reason of the database once it has not answered for 60 seconds', async () => {
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(60_000);
  const attempts = retryWhileUnavailable(() => Promise.reject(unavailable));
  await expect(attempts).rejects.toBeInstanceOf(OperatorError);
  await expect(attempts).rejects.toThrow(/for 60 seconds\. The last error was: connection refused$/);
});

it('reports the signal that ended the retries, without a time', async () => {
  const controller = new AbortController();
  const stopped = new OperatorError('Stopped by SIGTERM.');
  const attempts = retryWhileUnavailable(() => {
    setImmediate(() => controller.abort(stopped));
    return Promise.reject(unavailable);
  }, controller.signal);
  await expect(attempts).rejects.toBe(stopped);
});

it('does not retry when the database is damaged', async () => {
  const damaged = databaseDamaged(new Error('malformed'));
  const action = vi.fn(() => Promise.reject(damaged));
  await expect(retryWhileUnavailable(action, AbortSignal.abort())).rejects.toBe(damaged);
  expect(action).toHaveBeenCalledTimes(1);
});
