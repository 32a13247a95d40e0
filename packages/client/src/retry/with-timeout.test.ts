import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { delay, timeoutReason, withTimeout } from './with-timeout.js';

const never = () => new Promise<never>(() => undefined);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('withTimeout', () => {
  it('gives what the work gives or throws', async () => {
    expect(await withTimeout(async () => 'done', 10)).toBe('done');
    const fault = new Error('no');
    await expect(withTimeout(() => Promise.reject(fault), 10)).rejects.toBe(fault);
  });

  it('ends when its time is over, and says so to the work', async () => {
    const work = vi.fn<(signal: AbortSignal) => Promise<never>>(never);
    const wait = expect(withTimeout(work, 10)).rejects.toBe(timeoutReason);
    await vi.advanceTimersByTimeAsync(10);
    await wait;
    expect(work.mock.lastCall?.[0].reason).toBe(timeoutReason);
  });

  it('ends with the signal, and listens to it no longer', async () => {
    const control = new AbortController();
    const wait = expect(withTimeout(never, 10, control.signal)).rejects.toBe('enough');
    control.abort('enough');
    await wait;
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  it('does not begin when the signal has ended', async () => {
    const work = vi.fn(never);
    await expect(withTimeout(work, 10, AbortSignal.abort('enough'))).rejects.toBe('enough');
    expect(work).not.toHaveBeenCalled();
  });
});

describe('delay', () => {
  it('resolves after its time', async () => {
    const pause = delay(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await pause).toBeUndefined();
  });

  it('rejects with the reason of the signal', async () => {
    await expect(delay(10, AbortSignal.abort('enough'))).rejects.toBe('enough');
  });
});
