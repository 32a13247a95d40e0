import { expect, it, vi } from 'vitest';
import { conflictDelayMs, maxAttempts, retryConflicts } from './run-query.js';

const conflict = Object.assign(new Error('could not serialize'), { severity: 'ERROR', code: '40001' });

it('waits at random between attempts, up to twice as long after each', async () => {
  const delays: number[] = [];
  const query = vi.fn(() => Promise.reject(conflict));
  const retrying = retryConflicts(query, { hasTimedOut: false }, async (delayMs) => delays.push(delayMs));
  await expect(retrying).rejects.toBe(conflict);
  expect(query).toHaveBeenCalledTimes(maxAttempts);
  expect(delays).toHaveLength(maxAttempts - 1);
  for (const [index, delayMs] of delays.entries()) {
    expect(delayMs).toBeGreaterThanOrEqual(0);
    expect(delayMs).toBeLessThan(10 * 2 ** index);
  }
  expect([1, 2, 3, 4].map((attempt) => conflictDelayMs(attempt, 0.5))).toEqual([5, 10, 20, 40]);
});

it('does not wait the same time after each conflict', () => {
  expect(new Set(Array.from({ length: 20 }, () => conflictDelayMs(4))).size).toBeGreaterThan(1);
});

it('makes no further attempt once its caller has given up', async () => {
  const state = { hasTimedOut: false };
  const query = vi.fn(() => Promise.reject(conflict));
  const giveUp = async () => {
    state.hasTimedOut = true;
  };
  await expect(retryConflicts(query, state, giveUp)).rejects.toBe(conflict);
  expect(query).toHaveBeenCalledTimes(1);
});

it('does not wait after any other error', async () => {
  const wait = vi.fn(async () => undefined);
  const error = new Error('syntax error');
  await expect(retryConflicts(() => Promise.reject(error), { hasTimedOut: false }, wait)).rejects.toBe(error);
  expect(wait).not.toHaveBeenCalled();
});
