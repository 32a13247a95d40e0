import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { delay } from './delay.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('delay', () => {
  it('resolves after its time', async () => {
    const done = delay(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await done).toBeUndefined();
  });

  it('rejects with the reason of the signal', async () => {
    await expect(delay(10, AbortSignal.abort('enough'))).rejects.toBe('enough');
  });
});
