import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget, BusyShare, FairQueue } from './callers.js';

describe('a budget', () => {
  /** Takes room byte by byte until there is none. */
  function takeAll(budget: Budget, holder: number): number {
    let bytes = 0;
    while (budget.take(holder, 1)) bytes++;
    return bytes;
  }

  it('gives one holder half of the limit, and leaves room for later ones', () => {
    const budget = new Budget(1_200);
    expect([1, 2, 3, 4].map((holder) => takeAll(budget, holder))).toEqual([600, 300, 150, 75]);
    expect(budget.held).toBe(1_125);
  });

  it('gives equal shares to holders that alternate, and reuses released room', () => {
    const budget = new Budget(1_200);
    while ([1, 2].map((holder) => budget.take(holder, 10)).some((taken) => taken));
    expect(budget.held).toBe(800);
    for (const holder of [1, 2]) budget.release(holder, 400);
    expect(budget.held).toBe(0);
    expect(takeAll(budget, 1)).toBe(600);
  });

  it('accepts any amount while nothing is held, and counts additions without room', () => {
    const budget = new Budget(100);
    expect([budget.take(1, 1_000), budget.take(2, 1)]).toEqual([true, false]);
    budget.release(1, 1_000);
    budget.add(1, 60);
    expect(budget.held).toBe(60);
    expect(budget.hasRoom(1, 1)).toBe(false);
    expect([20, 21].map((amount) => budget.hasRoom(2, amount))).toEqual([true, false]);
  });
});

describe('a fair queue', () => {
  it('gives callers turns, including later ones, and skips a caller that is held back', () => {
    const queue = new FairQueue<string>();
    const push = (...items: readonly string[]) => {
      for (const item of items) queue.push(item.slice(0, 1), item);
    };
    const shift = (count: number) => Array.from({ length: count }, () => queue.shift());
    push('a1', 'a2', 'a3', 'b1');
    expect([queue.size, queue.callers, queue.peek()]).toEqual([4, 2, 'a1']);
    expect(shift(2)).toEqual(['a1', 'b1']);
    push('c1', 'c2');
    expect(shift(2)).toEqual(['a2', 'c1']);
    for (const caller of ['c', 'c', 'd']) queue.hold(caller);
    push('c3');
    expect([...shift(2), queue.size]).toEqual(['a3', undefined, 2]);
    for (const caller of ['c', 'd']) queue.resume(caller);
    expect(shift(3)).toEqual(['c2', 'c3', undefined]);
    expect([queue.size, queue.callers, queue.peek()]).toEqual([0, 0, undefined]);
  });
});

describe('a busy share', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('measures the share of time an activity takes, including one in progress, and forgets old time', () => {
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
    for (let window = 0; window < 2; window++) {
      vi.advanceTimersByTime(250);
      share.value();
    }
    expect(share.value()).toBeLessThan(0.1);
    share.begin();
    vi.advanceTimersByTime(1_000);
    expect(share.value()).toBe(1);
  });
});
