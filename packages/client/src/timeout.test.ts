import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { delay, timeoutReason, withTimeout } from './timeout.js';

const never = () => new Promise<never>(() => undefined);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it('returns or throws what the work does', async () => {
  expect(await withTimeout(async () => 'done', 10)).toBe('done');
  const error = new Error('no');
  await expect(withTimeout(() => Promise.reject(error), 10)).rejects.toBe(error);
});

it('times out, and aborts the work', async () => {
  const work = vi.fn<(signal: AbortSignal) => Promise<never>>(never);
  const wait = expect(withTimeout(work, 10)).rejects.toBe(timeoutReason);
  await vi.advanceTimersByTimeAsync(10);
  await wait;
  expect(work.mock.lastCall?.[0].reason).toBe(timeoutReason);
});

it('ends with the signal, and removes its listener', async () => {
  const control = new AbortController();
  const wait = expect(withTimeout(never, 10, control.signal)).rejects.toBe('enough');
  control.abort('enough');
  await wait;
  expect(getEventListeners(control.signal, 'abort')).toEqual([]);
});

it('does not start when the signal is aborted', async () => {
  const work = vi.fn(never);
  await expect(withTimeout(work, 10, AbortSignal.abort('enough'))).rejects.toBe('enough');
  await expect(delay(10, AbortSignal.abort('enough'))).rejects.toBe('enough');
  expect(work).not.toHaveBeenCalled();
});

it('delays', async () => {
  const done = delay(10);
  await vi.advanceTimersByTimeAsync(10);
  expect(await done).toBeUndefined();
});

it.each(['before', 'during'])('ends a delay that a timeout aborts %s it', async (when) => {
  const control = new AbortController();
  if (when === 'before') control.abort(timeoutReason);
  const wait = expect(delay(10, control.signal)).rejects.toBe(timeoutReason);
  control.abort(timeoutReason);
  await wait;
  expect(getEventListeners(control.signal, 'abort')).toEqual([]);
});
