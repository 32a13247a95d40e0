import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget, BusyShare, FairQueue } from './callers.js';

describe('a budget', () => {
  /** Takes room byte by byte until there is none. */
  function takeAll(budget: Budget, holder: number): number {
    let bytes = 0;
    while (budget.take(holder, 1)) bytes++;
    return bytes;
  }

  it('gives one holder half of the limit, and leaves room for each that comes later', () => {
    const budget = new Budget(1_200);
    expect([1, 2, 3, 4].map((holder) => takeAll(budget, holder))).toEqual([600, 300, 150, 75]);
    expect(budget.held).toBe(1_125);
  });

  it('gives equal shares to holders that alternate', () => {
    const budget = new Budget(1_200);
    while ([1, 2].map((holder) => budget.take(holder, 10)).some((taken) => taken));
    expect(budget.held).toBe(800);
    budget.release(1, 400);
    budget.release(2, 400);
    expect(budget.held).toBe(0);
  });

  it('takes nothing when there is no room, and has room again for what was released', () => {
    const budget = new Budget(100);
    expect(budget.take(1, 1)).toBe(true);
    expect(budget.take(1, 50)).toBe(false);
    expect(budget.held).toBe(1);
    expect(budget.take(1, 49)).toBe(true);
    expect(budget.take(1, 1)).toBe(false);
    budget.release(1, 20);
    expect(budget.held).toBe(30);
    expect(budget.take(1, 20)).toBe(true);
    budget.release(1, 50);
    expect(budget.held).toBe(0);
  });

  it('takes any amount while nothing is held, and counts what is added without room', () => {
    const budget = new Budget(100);
    expect(budget.take(1, 1_000)).toBe(true);
    expect(budget.take(2, 1)).toBe(false);
    budget.release(1, 1_000);
    budget.add(1, 60);
    expect([budget.held, budget.hasRoom(1, 1), budget.hasRoom(2, 20), budget.hasRoom(2, 21)]).toEqual([
      60,
      false,
      true,
      false,
    ]);
  });
});

describe('a fair queue', () => {
  /** Fills a queue with texts such as `a1`, the first item of caller `a`. */
  function fill(...items: readonly string[]): FairQueue<string> {
    const queue = new FairQueue<string>();
    for (const item of items) queue.push(item.slice(0, 1), item);
    return queue;
  }

  function drain(queue: FairQueue<string>): readonly string[] {
    const items: string[] = [];
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
    return items;
  }

  it('gives callers turns, and keeps the order of each', () => {
    const queue = fill('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect([queue.size, queue.callers, queue.peek()]).toEqual([6, 3, 'a1']);
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect([queue.size, queue.callers, queue.peek()]).toEqual([0, 0, undefined]);
  });

  it('lets a caller that comes later wait for one item of each other at most', () => {
    const queue = fill('a1', 'a2', 'a3');
    expect(queue.shift()).toBe('a1');
    queue.push('b', 'b1');
    expect(drain(queue)).toEqual(['a2', 'b1', 'a3']);
  });

  it('gives a caller that is held back no turn until it is let go on', () => {
    const queue = fill('a1', 'b1', 'b2');
    queue.hold('b');
    queue.hold('b');
    queue.push('b', 'b3');
    queue.hold('c');
    expect([queue.shift(), queue.shift(), queue.size]).toEqual(['a1', undefined, 3]);
    queue.letGoOn('b');
    queue.letGoOn('c');
    expect(drain(queue)).toEqual(['b1', 'b2', 'b3']);
  });

  it('keeps nothing of an item that was removed', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const queue = new FairQueue<object>();
    const add = () => {
      const item = {};
      queue.push('a', item);
      return new WeakRef(item);
    };
    const removed = add();
    const waiting = add();
    queue.shift();
    // A reference that was made in this turn of the event loop keeps its object until the next one.
    await nextTurn();
    collectGarbage();
    expect(removed.deref()).toBeUndefined();
    expect(waiting.deref()).toBeDefined();
  });
});

describe('a busy share', () => {
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
});
