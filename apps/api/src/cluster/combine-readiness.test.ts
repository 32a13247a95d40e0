import { expect, it } from 'vitest';
import type { Readiness } from '../observe/readiness.js';
import { combineReadiness } from './start-cluster.js';
import type { WorkerProcess } from './worker-process.js';

const ready: Readiness = { ready: true, warnings: [] };
const unavailable: Readiness = { ready: false, reason: 'database_unavailable' };

/** The readiness of a service of four workers, of which those respond that have an answer. */
function combine(answers: readonly Promise<Readiness>[]) {
  const processes = answers.map((answer) => ({ ask: () => answer }) as unknown as WorkerProcess);
  const responding = () => new Map(processes.map((process, index) => [index + 1, process]));
  return combineReadiness({ responding }, 4);
}

const answer = (...answers: Readiness[]) => answers.map((value) => Promise.resolve(value));

it('is ready with the warnings of all, each once', async () => {
  const warn = (warning: string): Readiness => ({ ready: true, warnings: [warning] });
  expect(await combine(answer(warn('a'), warn('b'), warn('b'), ready))).toEqual({
    ready: true,
    warnings: ['a', 'b'],
  });
});

it('is ready with a warning while at least half of the workers are', async () => {
  expect(await combine(answer(ready, ready, ready))).toEqual({
    ready: true,
    warnings: ['1 of 4 workers does not run, respond or store plants.'],
  });
  expect(await combine([...answer(ready, unavailable, ready), Promise.reject(new Error('ended'))])).toEqual({
    ready: true,
    warnings: ['2 of 4 workers do not run, respond or store plants.'],
  });
});

it('is not ready with fewer, for the reason of a worker if there is one', async () => {
  const stopping: Readiness = { ready: false, reason: 'shutting_down' };
  expect(await combine(answer(ready, stopping, stopping))).toEqual(stopping);
  expect(await combine(answer(ready))).toEqual({ ready: false, reason: 'internal_error' });
});
