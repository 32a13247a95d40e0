import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { Readiness } from '../observe/readiness.js';
import { combineReadiness, primaryConnections, shareLimits } from './start-cluster.js';
import type { WorkerProcess } from './worker-process.js';

const postgresql = { DATABASE_URL: 'postgresql://localhost/plants', WORKERS: '3' };

it('shares what holds for the whole service, and nothing else', () => {
  const config = parseConfig({ ...postgresql, RATE_LIMIT_PER_MINUTE: '100' }, '/');
  const share = shareLimits(config);
  expect(share.queueLimits).toEqual({
    ...config.queueLimits,
    queuePlants: Math.floor(config.queueLimits.queuePlants / 3),
    queueBytes: Math.floor(config.queueLimits.queueBytes / 3),
  });
  expect(share.bodyMemoryLimitBytes).toBe(Math.floor(config.bodyMemoryLimitBytes / 3));
  expect([share.rateLimitPerMinute, share.authFailuresPerMinute]).toEqual([33, 10]);
  const { queueLimits, bodyMemoryLimitBytes, rateLimitPerMinute, authFailuresPerMinute, database } = config;
  expect({
    ...share,
    ...{ queueLimits, bodyMemoryLimitBytes, rateLimitPerMinute, authFailuresPerMinute, database },
  }).toEqual(config);
});

it('leaves each worker at least one of what is limited, and no limit where there is none', () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '2', AUTH_FAILURES_PER_MINUTE: '0' };
  const share = shareLimits(parseConfig({ ...postgresql, ...limits }, '/'));
  expect([share.rateLimitPerMinute, share.authFailuresPerMinute]).toEqual([1, 0]);
});

it('never uses more connections than are configured, with those of the primary process', () => {
  const config = parseConfig({ ...postgresql, DATABASE_POOL_SIZE: '9' }, '/');
  const { database } = shareLimits(config);
  expect(database).toEqual({ ...config.database, poolSize: 2 });
  expect(3 * 2 + primaryConnections).toBeLessThanOrEqual(9);
});

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
