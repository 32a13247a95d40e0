import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { primaryConnections, shareLimits } from './share-limits.js';

const postgresql = { DATABASE_URL: 'postgresql://localhost/plants', WORKERS: '3' };

it('shares what holds for the whole service, and nothing else', () => {
  const config = parseConfig({ ...postgresql, RATE_LIMIT_PER_MINUTE: '100' }, '/');
  const share = shareLimits(config, 3);
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
  const share = shareLimits(parseConfig({ ...postgresql, ...limits }, '/'), 3);
  expect([share.rateLimitPerMinute, share.authFailuresPerMinute]).toEqual([1, 0]);
});

it('never uses more connections than are configured, with those of the primary process', () => {
  const config = parseConfig({ ...postgresql, DATABASE_POOL_SIZE: '9' }, '/');
  const { database } = shareLimits(config, 3);
  expect(database).toEqual({ ...config.database, poolSize: 2 });
  expect(3 * 2 + primaryConnections).toBeLessThanOrEqual(9);
});
