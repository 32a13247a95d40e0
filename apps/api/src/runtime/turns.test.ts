import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { costPerTurn, createTurns } from './turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Schedules work, with its first letter as the caller, and notes the order in which it runs. */
function open({ callers = 1, processes = 1 } = {}) {
  const turns = createTurns({ count: () => callers }, processes);
  const done: string[] = [];
  const run = (name: string, cost = 1) => turns.schedule(name.slice(0, 1), cost, () => void done.push(name));
  return { done, run };
}

const many = Array.from({ length: 3 * costPerTurn }, (_, index) => `a${index}`);

it.each([
  { title: 'as much as the limit allows, and the rest in the next ones', names: many, cost: 1, order: many },
  {
    title: 'one large piece of work, and those of several callers in turns',
    names: ['a1', 'a2', 'a3', 'b1', 'b2'],
    cost: costPerTurn,
    order: ['a1', 'a2', 'b1', 'a3', 'b2'],
  },
])('runs in one turn $title', async ({ names, cost, order }) => {
  const { done, run } = open();
  for (const name of names) run(name, cost);
  const perTurn = [done.length];
  while (done.length < names.length) {
    const before = done.length;
    await nextTurn();
    perTurn.push(done.length - before);
  }
  expect([perTurn[0], Math.max(...perTurn)]).toEqual([costPerTurn / cost, costPerTurn / cost]);
  expect(done).toEqual(order);
  await nextTurn();
  // Later work runs immediately again.
  run('b');
  expect(done.at(-1)).toBe('b');
});

it.each([
  { callers: 2, processes: 1, waitMs: 5 },
  { callers: 4, processes: 1, waitMs: 15 },
  { callers: 100, processes: 1, waitMs: 20 },
  { callers: 100, processes: 2, waitMs: 40 },
])('makes a caller wait after work with a cost of 100: %j', async ({ callers, processes, waitMs }) => {
  const { done, run } = open({ callers, processes });
  run('a1', 100);
  for (const name of ['a2', 'b1', 'b2']) run(name);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(done).toEqual(['a1', 'b1', 'b2']);
  vi.advanceTimersByTime(waitMs - 1);
  await nextTurn();
  expect(done).toHaveLength(3);
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(done).toEqual(['a1', 'b1', 'b2', 'a2']);
});
