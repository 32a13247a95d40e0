import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BusyShare } from './busy-share.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('measures what part of the time something goes on, and forgets it', () => {
  const share = new BusyShare();
  for (let count = 0; count < 20; count++) {
    share.begin();
    vi.advanceTimersByTime(10);
    share.begin();
    vi.advanceTimersByTime(10);
    share.end();
    vi.advanceTimersByTime(30);
  }
  expect(share.value()).toBeCloseTo(0.4, 1);
  vi.advanceTimersByTime(250);
  share.value();
  vi.advanceTimersByTime(250);
  expect(share.value()).toBeLessThan(0.1);
});

it('counts what has not ended', () => {
  const share = new BusyShare();
  share.begin();
  vi.advanceTimersByTime(1_000);
  expect(share.value()).toBe(1);
});
