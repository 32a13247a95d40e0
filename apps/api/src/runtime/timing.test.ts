import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { clusterStopTimeouts, retry, stopTimeouts, withTimeout } from './timing.js';

const never = new Promise<never>(() => undefined);
const late = () => 'late';
const fail = (message: string) => Promise.reject(new Error(message));

it('resolves or rejects as the promise does in time', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000, late)).toBe('done');
  await expect(withTimeout(fail('failure'), 60_000, late)).rejects.toThrow('failure');
});

it('returns the late result after the timeout, or throws its error, and ignores a later rejection', async () => {
  const failing = delay(5).then(() => fail('failure'));
  expect(await withTimeout(failing, 1, late)).toBe('late');
  await expect(failing).rejects.toThrow('failure');
  const throwing = withTimeout(never, 1, () => {
    throw new Error('timeout');
  });
  await expect(throwing).rejects.toThrow('timeout');
});

it('returns the late result as soon as the signal is aborted', async () => {
  const controller = new AbortController();
  const result = withTimeout(never, 10_000_000, late, controller.signal);
  controller.abort();
  expect(await result).toBe('late');
  expect(await withTimeout(never, 10_000_000, late, controller.signal)).toBe('late');
});

const isUnavailable = (error: unknown) => error instanceof Error && error.message === 'unavailable';

it('retries until the action succeeds', async () => {
  const unavailable = new Error('unavailable');
  const action = vi
    .fn(async () => 'done')
    .mockRejectedValueOnce(unavailable)
    .mockRejectedValueOnce(unavailable);
  expect(await retry(action, isUnavailable, { timeoutMs: 60_000, delayMs: 1 })).toBe('done');
  expect(action).toHaveBeenCalledTimes(3);
});

it('gives up after the timeout', async () => {
  const attempts = retry(() => fail('unavailable'), isUnavailable, { timeoutMs: 20, delayMs: 1 });
  await expect(attempts).rejects.toThrow('unavailable');
});

it('does not retry after any other error', async () => {
  const action = vi.fn(() => fail('a bug'));
  await expect(retry(action, isUnavailable, { timeoutMs: 60_000, delayMs: 1 })).rejects.toThrow('a bug');
  expect(action).toHaveBeenCalledTimes(1);
});

it('makes one last attempt when it is aborted', async () => {
  const controller = new AbortController();
  const action = vi.fn(() => {
    setImmediate(() => controller.abort());
    return fail('unavailable');
  });
  const policy = { timeoutMs: 10_000_000, delayMs: 1_000_000 };
  await expect(retry(action, isUnavailable, policy, controller.signal)).rejects.toThrow('unavailable');
  expect(action).toHaveBeenCalledTimes(2);
});

const { databaseMs, ...lastSteps } = stopTimeouts;

it.each([
  ['one process', /status 0\s+within\s+(\d+)\s+seconds/, { databaseMs, ...lastSteps }],
  ['workers', /(\d+)\s+seconds\s+with\s+workers/, { ...clusterStopTimeouts, ...lastSteps }],
])(
  'the steps of a stop leave a quarter of the time that docs/operate/deploy.md promises to the machine: %s',
  (_, promise, timeouts) => {
    const deploy = readFileSync(new URL('../../../../docs/operate/deploy.md', import.meta.url), 'utf8');
    const [, seconds] = promise.exec(deploy) ?? [];
    const sum = Object.values(timeouts).reduce((total, timeoutMs) => total + timeoutMs, 0);
    expect(sum).toBeLessThanOrEqual(0.75 * 1_000 * Number(seconds));
  },
);
