import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

const unavailable = () => new ServiceError('database_unavailable', 'The database does not answer.');

it('tries again until the database answers', async () => {
  const action = vi.fn().mockRejectedValueOnce(unavailable()).mockRejectedValueOnce(unavailable());
  action.mockResolvedValue('done');
  expect(await retryWhileUnavailable(action, { forMs: 60_000, pauseMs: 1 })).toBe('done');
  expect(action).toHaveBeenCalledTimes(3);
});

it('gives up when patience is over', async () => {
  const action = () => Promise.reject(unavailable());
  await expect(retryWhileUnavailable(action, { forMs: 20, pauseMs: 1 })).rejects.toThrow('does not answer');
});

it('repeats nothing after any other fault', async () => {
  const action = vi.fn().mockRejectedValue(new Error('a fault'));
  await expect(retryWhileUnavailable(action, { forMs: 60_000, pauseMs: 1 })).rejects.toThrow('a fault');
  expect(action).toHaveBeenCalledTimes(1);
});

it('tries once more and no further when it is told to stop', async () => {
  const controller = new AbortController();
  const action = vi.fn().mockImplementation(() => {
    setImmediate(() => controller.abort());
    return Promise.reject(unavailable());
  });
  const patience = { forMs: 10_000_000, pauseMs: 1_000_000 };
  await expect(retryWhileUnavailable(action, patience, controller.signal)).rejects.toThrow('does not answer');
  expect(action).toHaveBeenCalledTimes(2);
});
