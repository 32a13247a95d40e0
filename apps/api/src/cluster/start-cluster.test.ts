import type { ErrorName } from '@plant-store/contract/errors';
import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { Readiness } from '../observe/readiness.js';
import { combineReadiness, primaryConnections, shareLimits } from './start-cluster.js';
import type { WorkerProcess } from './worker-process.js';

const parse = (environment: Readonly<Record<string, string>>) =>
  parseConfig({ DATABASE_URL: 'postgresql://localhost/plants', WORKERS: '3', ...environment }, '/');

it('divides only the limits of the whole service', () => {
  const config = parse({ RATE_LIMIT_PER_MINUTE: '100' });
  const share = shareLimits(config);
  const { queueRecords, queueBytes } = config.queueLimits;
  expect(share).toEqual({
    ...config,
    queueLimits: {
      ...config.queueLimits,
      queueRecords: Math.floor(queueRecords / 3),
      queueBytes: Math.floor(queueBytes / 3),
    },
    bodyMemoryLimitBytes: Math.floor(config.bodyMemoryLimitBytes / 3),
    rateLimitPerMinute: 33,
    authFailuresPerMinute: 10,
    database: share.database,
  });
});

it('gives each worker at least one of each limit, and no limit if none is set', () => {
  const share = shareLimits(parse({ RATE_LIMIT_PER_MINUTE: '2', AUTH_FAILURES_PER_MINUTE: '0' }));
  expect([share.rateLimitPerMinute, share.authFailuresPerMinute]).toEqual([1, 0]);
});

it('never uses more connections than configured, including those of the primary process', () => {
  const config = parse({ DATABASE_POOL_SIZE: '9' });
  expect(shareLimits(config).database).toEqual({ ...config.database, poolSize: 2 });
  expect(3 * 2 + primaryConnections).toBeLessThanOrEqual(9);
});

const warning = (...warnings: readonly string[]): Readiness => ({ ready: true, warnings });
const ready = warning();
const notReady = (reason: ErrorName): Readiness => ({ ready: false, reason });
const stopping = notReady('shutting_down');
const missing = (count: string) =>
  warning(`${count} not running, not responding, or unable to store records.`);

it.each<[title: string, answers: (Readiness | Error)[], Readiness]>([
  ['warnings of all', [warning('a'), warning('b'), warning('b'), ready], warning('a', 'b')],
  ['one that does not respond', [ready, ready, ready], missing('1 of 4 workers is')],
  ['half that fail', [ready, stopping, ready, new Error('ended')], missing('2 of 4 workers are')],
  ['more that fail with a reason', [ready, stopping, stopping], stopping],
  ['more that do not respond', [ready], notReady('internal_error')],
])('combines the readiness of four workers: %s', async (_, answers, expected) => {
  const processes = answers.map((answer) => ({
    ask: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  })) as unknown as readonly WorkerProcess[];
  const responding = () => new Map(processes.map((process, index) => [index + 1, process]));
  expect(await combineReadiness({ responding }, 4)).toEqual(expected);
});
