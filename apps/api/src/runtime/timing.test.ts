import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withTimeout } from './timing.js';

const never = new Promise<never>(() => undefined);

it('returns what the promise resolves to in time', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000, () => 'late')).toBe('done');
});

it('throws what the promise rejects with in time', async () => {
  await expect(withTimeout(Promise.reject(new Error('failure')), 60_000, () => 'late')).rejects.toThrow(
    'failure',
  );
});

it('returns the late result after the timeout', async () => {
  expect(await withTimeout(never, 1, () => 'late')).toBe('late');
});

it('throws what the late result throws', async () => {
  const late = () => {
    throw new Error('timeout');
  };
  await expect(withTimeout(never, 1, late)).rejects.toThrow('timeout');
});

it('ignores a rejection after the timeout', async () => {
  const failing = delay(5).then(() => Promise.reject(new Error('failure')));
  expect(await withTimeout(failing, 1, () => 'late')).toBe('late');
  await expect(failing).rejects.toThrow('failure');
});

it('returns the late result as soon as the signal is aborted', async () => {
  const controller = new AbortController();
  const result = withTimeout(never, 10_000_000, () => 'late', controller.signal);
  controller.abort();
  expect(await result).toBe('late');
  expect(await withTimeout(never, 10_000_000, () => 'late', controller.signal)).toBe('late');
});
