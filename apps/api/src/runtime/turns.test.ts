import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { costPerTurn, createTurns } from './turns.js';

/** Gives work to turns, and notes which of it is done, in order. */
function open() {
  const turns = createTurns();
  const done: string[] = [];
  const run = (caller: string, cost: number, name: string) =>
    turns.run(caller, cost, () => void done.push(name));
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

it('does one large piece of work in a turn, and then as much of others before the next one', async () => {
  const { done, run } = open();
  for (let count = 0; count < 3; count++) run('a', 2 * costPerTurn, 'a');
  for (let count = 0; count < 3 * costPerTurn; count++) run('b', 1, 'b');
  expect(done).toEqual(['a']);
  while (done.length < 3 + 3 * costPerTurn) await nextTurn();
  const some = 'b'.repeat(costPerTurn + 1);
  expect(done.join('')).toBe(`a${some}a${some}a${'b'.repeat(costPerTurn - 2)}`);
});

it('does what comes later at once again', async () => {
  const { done, run } = open();
  for (let count = 0; count < 2 * costPerTurn; count++) run('a', 1, 'a');
  while (done.length < 2 * costPerTurn) await nextTurn();
  await nextTurn();
  run('b', 1, 'b');
  expect(done.at(-1)).toBe('b');
});
