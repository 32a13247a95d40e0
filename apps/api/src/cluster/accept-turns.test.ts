import { expect, it } from 'vitest';
import { createAcceptTurns } from './accept-turns.js';

/** Turns on a clock that only waiting and `pass` move. */
function createTurns() {
  const clock = { now: 0, waitedMs: 0 };
  const turns = createAcceptTurns(
    () => clock.now,
    (milliseconds) => {
      clock.now += milliseconds;
      clock.waitedMs += milliseconds;
    },
  );
  return { clock, ...turns };
}

it('waits only with more connections than the share', () => {
  const { clock, onAccepted, setShare } = createTurns();
  setShare(2.5);
  onAccepted(1);
  onAccepted(2);
  expect(clock.waitedMs).toBe(0);
  onAccepted(3);
  expect(clock.waitedMs).toBeCloseTo(1);
});

it('waits for no more than 200 ms at once, and a twentieth of the time after that, however many are opened', () => {
  const { clock, onAccepted } = createTurns();
  for (let opened = 1; opened <= 10_000; opened++) onAccepted(opened);
  expect(clock.waitedMs).toBeGreaterThan(198);
  expect(clock.waitedMs).toBeLessThan(212);
  const before = clock.waitedMs;
  for (let opened = 1; opened <= 10_000; opened++) {
    clock.now += 0.1;
    onAccepted(opened);
  }
  expect(clock.waitedMs - before).toBeGreaterThan(40);
  expect(clock.waitedMs - before).toBeLessThan(60);
});
