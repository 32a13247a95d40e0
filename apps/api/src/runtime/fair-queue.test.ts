import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

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
