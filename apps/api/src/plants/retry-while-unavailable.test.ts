import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

const unavailable = () => new ServiceError('database_unavailable', 'The database does not answer.');

it('retries until the database answers', async () => {
  const action = vi.fn().mockRejectedValueOnce(unavailable()).mockRejectedValueOnce(unavailable());
  action.mockResolvedValue('done');
  expect(await retryWhileUnavailable(action, { timeoutMs: 60_000, delayMs: 1 })).toBe('done');
  expect(action).toHaveBeenCalledTimes(3);
});

it('gives up after the timeout', async () => {
  const action = () => Promise.reject(unavailable());
  await expect(retryWhileUnavailable(action, { timeoutMs: 20, delayMs: 1 })).rejects.toThrow(
    'does not answer',
  );
});

it('does not retry after any other error', async () => {
  const action = vi.fn().mockRejectedValue(new Error('a bug'));
  await expect(retryWhileUnavailable(action, { timeoutMs: 60_000, delayMs: 1 })).rejects.toThrow('a bug');
  expect(action).toHaveBeenCalledTimes(1);
});

it('makes one last attempt when it is aborted', async () => {
  const controller = new AbortController();
  const action = vi.fn().mockImplementation(() => {
    setImmediate(() => controller.abort());
    return Promise.reject(unavailable());
  });
  const policy = { timeoutMs: 10_000_000, delayMs: 1_000_000 };
  await expect(retryWhileUnavailable(action, policy, controller.signal)).rejects.toThrow('does not answer');
  expect(action).toHaveBeenCalledTimes(2);
});
