import { expect, it, vi } from 'vitest';
import { retry } from './timing.js';

const unavailable = () => new Error('unavailable');
const isUnavailable = (error: unknown) => error instanceof Error && error.message === 'unavailable';

it('retries until the action succeeds', async () => {
  const action = vi.fn().mockRejectedValueOnce(unavailable()).mockRejectedValueOnce(unavailable());
  action.mockResolvedValue('done');
  expect(await retry(action, isUnavailable, { timeoutMs: 60_000, delayMs: 1 })).toBe('done');
  expect(action).toHaveBeenCalledTimes(3);
});

it('gives up after the timeout', async () => {
  const action = () => Promise.reject(unavailable());
  const attempts = retry(action, isUnavailable, { timeoutMs: 20, delayMs: 1 });
  await expect(attempts).rejects.toThrow('unavailable');
});

it('does not retry after any other error', async () => {
  const action = vi.fn().mockRejectedValue(new Error('a bug'));
  const attempts = retry(action, isUnavailable, { timeoutMs: 60_000, delayMs: 1 });
  await expect(attempts).rejects.toThrow('a bug');
  expect(action).toHaveBeenCalledTimes(1);
});

it('makes one last attempt when it is aborted', async () => {
  const controller = new AbortController();
  const action = vi.fn().mockImplementation(() => {
    setImmediate(() => controller.abort());
    return Promise.reject(unavailable());
  });
  const policy = { timeoutMs: 10_000_000, delayMs: 1_000_000 };
  await expect(retry(action, isUnavailable, policy, controller.signal)).rejects.toThrow('unavailable');
  expect(action).toHaveBeenCalledTimes(2);
});
