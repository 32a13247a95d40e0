import type { Config } from '../../config.js';

/** The settings of one of several workers: of a limit that holds for the whole service each has an equal share. */
export function shareLimits(config: Config, workers: number): Config {
  const { batcherLimits, bodiesLimitBytes, database } = config;
  const share = (limit: number) => Math.max(1, Math.floor(limit / workers));
  return {
    ...config,
    workers: 1,
    bodiesLimitBytes: share(bodiesLimitBytes),
    batcherLimits: {
      ...batcherLimits,
      queuePlants: share(batcherLimits.queuePlants),
      queueBytes: share(batcherLimits.queueBytes),
    },
    database:
      database.engine === 'sqlite'
        ? database
        : { ...database, poolSize: share(database.poolSize - primaryConnections) },
  };
}

/** How many connections to PostgreSQL the primary process has, for tokens that are not known to be valid. */
export const primaryConnections = 1;
