import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RunningClock } from './running-clock.js';

it('passes with the timers of the process, and stands still while it does not run', async () => {
  const clock = new RunningClock();
  await delay(200);
  const waited = clock.now();
  expect(waited).toBeGreaterThan(0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await delay(1);
  expect(clock.now() - waited).toBeLessThan(100);
  clock.stop();
});
