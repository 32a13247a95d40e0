import { expect, it } from 'vitest';
import { createBudget } from './budget.js';

/** Takes room byte by byte until there is none. */
function takeAll(budget: ReturnType<typeof createBudget>, holder: number): number {
  let bytes = 0;
  while (budget.take(holder, 1)) bytes++;
  return bytes;
}

it('gives one holder half of the limit, and leaves room for each that comes later', () => {
  const budget = createBudget(1_200);
  expect([1, 2, 3, 4].map((holder) => takeAll(budget, holder))).toEqual([600, 300, 150, 75]);
  expect(budget.held).toBe(1_125);
});

it('gives equal shares to holders that alternate', () => {
  const budget = createBudget(1_200);
  while ([1, 2].map((holder) => budget.take(holder, 10)).some((taken) => taken));
  expect(budget.held).toBe(800);
  budget.release(1, 400);
  budget.release(2, 400);
  expect(budget.held).toBe(0);
});

it('takes nothing when there is no room, and has room again for what was released', () => {
  const budget = createBudget(100);
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
  const budget = createBudget(100);
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
