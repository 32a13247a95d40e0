import { expect, it } from 'vitest';
import { createBodyBudget } from './json-body.js';

/** Takes room byte by byte until there is none. */
function takeAll(budget: ReturnType<typeof createBodyBudget>, holder: number): number {
  let bytes = 0;
  while (budget.take(holder, 1)) bytes++;
  return bytes;
}

it('gives one holder half of the limit, and leaves room for each that comes later', () => {
  const budget = createBodyBudget(1_200);
  expect([1, 2, 3, 4].map((holder) => takeAll(budget, holder))).toEqual([600, 300, 150, 75]);
  expect(budget.held).toBe(1_125);
});

it('gives equal shares to holders that alternate', () => {
  const budget = createBodyBudget(1_200);
  while ([1, 2].map((holder) => budget.take(holder, 10)).some((taken) => taken));
  expect(budget.held).toBe(800);
  budget.release(1, 400);
  budget.release(2, 400);
  expect(budget.held).toBe(0);
});

it('takes nothing when there is no room, and has room again for what was released', () => {
  const budget = createBodyBudget(100);
  expect(budget.take(1, 51)).toBe(false);
  expect(budget.held).toBe(0);
  expect(budget.take(1, 50)).toBe(true);
  expect(budget.take(1, 1)).toBe(false);
  budget.release(1, 20);
  expect(budget.held).toBe(30);
  expect(budget.take(1, 20)).toBe(true);
  budget.release(1, 50);
  expect(budget.held).toBe(0);
});
