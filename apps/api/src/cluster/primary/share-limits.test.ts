import { expect, it } from 'vitest';
import { parseConfig } from '../../config.js';
import { primaryConnections, shareLimits } from './worker-group.js';

it('shares what holds for the whole service, and nothing else', () => {
  const config = parseConfig({ DATABASE_URL: 'postgresql://localhost/plants', WORKERS: '3' }, '/');
  const share = shareLimits(config, 3);
  expect(share.batcherLimits.queuePlants).toBe(Math.floor(config.batcherLimits.queuePlants / 3));
  expect(share.batcherLimits.queueBytes).toBe(Math.floor(config.batcherLimits.queueBytes / 3));
  expect(share.bodiesLimitBytes).toBe(Math.floor(config.bodiesLimitBytes / 3));
  const { batcherLimits, bodiesLimitBytes, database, workers } = config;
  expect({ ...share, batcherLimits, bodiesLimitBytes, database, workers }).toEqual(config);
});

it('never uses more connections than are configured, with those of the primary process', () => {
  const config = parseConfig(
    {
      DATABASE_URL: 'postgresql://localhost/plants',
      DATABASE_POOL_SIZE: '9',
      WORKERS: '3',
    },
    '/',
  );
  const { database } = shareLimits(config, 3);
  expect(database).toEqual({ ...config.database, poolSize: 2 });
  expect(3 * 2 + primaryConnections).toBeLessThanOrEqual(9);
});
