import { expect, it } from 'vitest';
import { createAcceptTurns } from './run-worker.js';

/** Accepts connections on a clock that only waits and the test advance. */
function createTurns() {
  let now = 0;
  let waitedMs = 0;
  const onAccepted = createAcceptTurns(
    () => now,
    (milliseconds) => {
      now += milliseconds;
      waitedMs += milliseconds;
    },
  );
  /** Accepts so many connections, each after a time, and returns for how long that waited. */
  return (count: number, afterMs = 0) => {
    const before = waitedMs;
    for (let opened = 1; opened <= count; opened++) {
      now += afterMs;
      onAccepted();
    }
    return waitedMs - before;
  };
}

it('waits only after a connection that closely follows another one', () => {
  const accept = createTurns();
  expect([accept(1), accept(1, 2), accept(1)]).toEqual([0, 0, 1]);
});

it('waits at most 200 ms at first and 5% of the time after that, no matter how many are opened', () => {
  const accept = createTurns();
  expect(Math.abs(accept(10_000) - 205)).toBeLessThan(7);
  expect(Math.abs(accept(10_000, 0.1) - 50)).toBeLessThan(10);
});
