import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { costPerTurn, createTurns } from './turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Gives work to turns, and notes which of it is done, in order. */
function open({ callers = 1, processes = 1 } = {}) {
  const turns = createTurns({ count: () => callers }, processes);
  const done: string[] = [];
  const run = (caller: string, cost: number, name: string) =>
    turns.schedule(caller, cost, () => void done.push(name));
  return { done, run };
}

it('does as much in a turn as the limit allows, and the rest in the next ones', async () => {
  const { done, run } = open();
  for (let count = 0; count < 3 * costPerTurn; count++) run('a', 1, `a${count}`);
  expect(done).toHaveLength(costPerTurn);
  const perTurn = [];
  while (done.length < 3 * costPerTurn) {
    const before = done.length;
    await nextTurn();
    perTurn.push(done.length - before);
  }
  expect(Math.max(...perTurn)).toBe(costPerTurn);
  expect(done).toEqual(Array.from({ length: 3 * costPerTurn }, (_, index) => `a${index}`));
});

it('does one large piece of work in a turn, and those of several callers in turns', async () => {
  const { done, run } = open();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) run(name.slice(0, 1), costPerTurn, name);
  expect(done).toEqual(['a1']);
  const perTurn = [];
  while (done.length < 5) {
    const before = done.length;
    await nextTurn();
    perTurn.push(done.length - before);
  }
  expect(Math.max(...perTurn)).toBe(1);
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it.each([
  { callers: 2, cost: 100, waitMs: 5 },
  { callers: 4, cost: 100, waitMs: 15 },
  { callers: 100, cost: 100, waitMs: 20 },
  { callers: 100, cost: 100, processes: 2, waitMs: 40 },
])(
  'lets a caller of $callers wait for $waitMs ms after work of a cost of $cost',
  async ({ callers, cost, processes = 1, waitMs }) => {
    const { done, run } = open({ callers, processes });
    for (const name of ['a1', 'a2', 'b1', 'b2']) run(name.slice(0, 1), name === 'a1' ? cost : 1, name);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(done).toEqual(['a1', 'b1', 'b2']);
    vi.advanceTimersByTime(waitMs - 1);
    await nextTurn();
    expect(done).toHaveLength(3);
    vi.advanceTimersByTime(1);
    await nextTurn();
    expect(done).toEqual(['a1', 'b1', 'b2', 'a2']);
  },
);

it('does what comes later at once again', async () => {
  const { done, run } = open();
  for (let count = 0; count < 2 * costPerTurn; count++) run('a', 1, 'a');
  while (done.length < 2 * costPerTurn) await nextTurn();
  await nextTurn();
  run('b', 1, 'b');
  expect(done.at(-1)).toBe('b');
});
