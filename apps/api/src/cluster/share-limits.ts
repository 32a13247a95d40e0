import type { Config } from '../config.js';

/** How many connections to PostgreSQL the primary process has. */
export const primaryConnections = 1;

/** The settings of one of several workers: of a limit that holds for the whole service each has an equal share. */
export function shareLimits(config: Config, workers: number): Config {
  const { queueLimits, bodyMemoryLimitBytes, database, rateLimitPerMinute, authFailuresPerMinute } = config;
  const share = (limit: number) => Math.max(1, Math.floor(limit / workers));
  const shareUnlessNone = (limit: number) => (limit === 0 ? 0 : share(limit));
  return {
    ...config,
    bodyMemoryLimitBytes: share(bodyMemoryLimitBytes),
    rateLimitPerMinute: shareUnlessNone(rateLimitPerMinute),
    authFailuresPerMinute: shareUnlessNone(authFailuresPerMinute),
    queueLimits: {
      ...queueLimits,
      queuePlants: share(queueLimits.queuePlants),
      queueBytes: share(queueLimits.queueBytes),
    },
    database:
      database.engine === 'sqlite'
        ? database
        : { ...database, poolSize: share(database.poolSize - primaryConnections) },
  };
}
