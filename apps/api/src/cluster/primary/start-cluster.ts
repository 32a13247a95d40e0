import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAdminServer } from '../../admin/create-admin-server.js';
import {
  closeDatabase,
  createServiceReadiness,
  openAccessTokens,
  watchCommits,
} from '../../assemble-service.js';
import type { Config } from '../../config.js';
import type { DatabaseLocation } from '../../database/database-location.js';
import { openDatabase } from '../../database/open-database.js';
import { createGracefulShutdown } from '../../http/server/graceful-shutdown.js';
import { listen } from '../../http/server/listen.js';
import { createRegistry } from '../../metrics/create-registry.js';
import { clusterStopTimeouts, startStopTime, stopTimeouts } from '../../runtime/stop-timeouts.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Service } from '../../start-service.js';
import { tokenTtlMs } from '../calls.js';
import { createClusterMetrics } from '../cluster-metrics.js';
import { combineReadiness } from './combine-readiness.js';
import { createPrimaryCalls } from './create-primary-calls.js';
import { openListeningSocket } from './listening-socket.js';
import { mergeInserts } from './merge-inserts.js';
import { primaryConnections, WorkerGroup } from './worker-group.js';
import { forkWorker, type WorkerProgram } from './worker-process.js';

/** A service of several processes that is listening. */
export interface Cluster extends Service {
  /** Replaces the workers one after the other, without a failed request, by ones with settings that are read again. */
  replaceWorkers(readConfig: () => Config): Promise<void>;
}

/**
 * Starts a service whose requests are served by `config.workers` processes. On SQLite this process alone has the database,
 * and stores the plants of all workers; on PostgreSQL each worker has connections of its own. The admin port is that of this
 * process.
 *
 * @throws {OperatorError} as `startService` does
 */
export async function startCluster(
  config: Config,
  log: Logger,
  program: WorkerProgram = {},
): Promise<Cluster> {
  const metrics = config.admin && createRegistry();
  const location = locatePrimary(config.database);
  const database = await openDatabase(location, { log, metrics });
  const tokens = await openAccessTokens(config, database, metrics, log, tokenTtlMs);
  const { accessTokens, authenticationLimit, closeTokens } = tokens;
  const draining = new AbortController();
  const { commits, health } = watchCommits(config, database, metrics, log);
  const inserts = mergeInserts(commits, config.batcherLimits.batchPlants);
  const calls = await createPrimaryCalls(config, { database, inserts, ...tokens });
  const socket = await openListeningSocket(config.host, config.port).catch(async (error: unknown) => {
    await closeTokens(0);
    await database.close();
    throw error;
  });
  const group: WorkerGroup = new WorkerGroup(config, {
    fork: () => forkWorker(calls, socket.descriptor, program),
    log,
    onEnd: (worker, end) => clusterMetrics?.workerEnded(worker, end?.metrics),
  });
  const clusterMetrics = metrics && createClusterMetrics(metrics, group);
  const readiness = combineReadiness({
    own: createServiceReadiness(database, health, draining.signal, log),
    group,
    workers: config.workers,
    askWorkers: location.engine !== 'sqlite',
  });
  const adminServer = createAdminServer({ readiness, metrics: clusterMetrics, log });
  const stopAdminServer = createGracefulShutdown(adminServer);

  async function stop(): Promise<boolean> {
    draining.abort();
    authenticationLimit.clear();
    const time = startStopTime(config.shutdownTimeoutMs, clusterStopTimeouts.databaseMs);
    const [inTime] = await Promise.all([group.stop(), socket.close()]);
    await closeTokens(time.untilCutOff());
    const closing = closeDatabase(database, inserts, log);
    const closed = await withTimeout(closing, time.toCloseDatabase(), () => false);
    await stopAdminServer(stopTimeouts.adminMs);
    return inTime && closed;
  }

  try {
    await group.start();
    const adminUrl =
      config.admin && (await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_'));
    const { appliedMigrations } = database;
    return {
      baseUrl: socket.baseUrl,
      ...{ adminUrl, accessTokens, appliedMigrations, stop },
      async drain(delayMs) {
        draining.abort();
        void group.drain();
        if (delayMs > 0) await delay(delayMs);
      },
      replaceWorkers: (readConfig) => group.replaceAll(() => ({ ...readConfig(), ...keptOf(config) })),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What stays while the service runs. */
function keptOf({ admin, workers }: Config): Pick<Config, 'admin' | 'workers'> {
  return { admin, workers };
}

/** The database as this process opens it. */
function locatePrimary(database: DatabaseLocation): DatabaseLocation {
  return database.engine === 'sqlite' ? database : { ...database, poolSize: primaryConnections };
}
