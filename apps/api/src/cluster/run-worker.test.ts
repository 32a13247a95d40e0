import { expect, it } from 'vitest';
import { createAcceptTurns } from './run-worker.js';

/** Turns on a clock that only waiting and the test move. */
function createTurns() {
  const clock = { now: 0, waitedMs: 0 };
  const onAccepted = createAcceptTurns(
    () => clock.now,
    (milliseconds) => {
      clock.now += milliseconds;
      clock.waitedMs += milliseconds;
    },
  );
  return { clock, onAccepted };
}

it('waits only after a connection that follows another one', () => {
  const { clock, onAccepted } = createTurns();
  onAccepted();
  clock.now += 2;
  onAccepted();
  expect(clock.waitedMs).toBe(0);
  onAccepted();
  expect(clock.waitedMs).toBe(1);
});

it('waits for no more than 200 ms at once, and a twentieth of the time after that, however many are opened', () => {
  const { clock, onAccepted } = createTurns();
  for (let opened = 1; opened <= 10_000; opened++) onAccepted();
  expect(clock.waitedMs).toBeGreaterThan(198);
  expect(clock.waitedMs).toBeLessThan(212);
  const before = clock.waitedMs;
  for (let opened = 1; opened <= 10_000; opened++) {
    clock.now += 0.1;
    onAccepted();
  }
  expect(clock.waitedMs - before).toBeGreaterThan(40);
  expect(clock.waitedMs - before).toBeLessThan(60);
});
