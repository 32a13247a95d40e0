import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AdminPort, openAdminPort } from '../admin-port.js';
import { createTokenService } from '../auth/token-service.js';
import type { Config } from '../config.js';
import { listen } from '../http/listen.js';
import { addReadinessGauge, createExportedRegistry } from '../observe/metrics.js';
import type { Telemetry } from '../observe/otlp.js';
import type { Readiness } from '../observe/readiness.js';
import { clusterStopTimeouts, withTimeout } from '../runtime/timing.js';
import type { Service } from '../service.js';
import { openDatabase } from '../store/open-database.js';
import { createClusterMetrics } from './cluster-metrics.js';
import { WorkerGroup } from './worker-group.js';
import { forkWorker, type WorkerProgram } from './worker-process.js';

/** A running service of several processes. */
export interface Cluster extends Service {
  /** Replaces the workers one after the other, without failing requests. The new workers use newly read settings. */
  replaceWorkers(readConfig: () => Config): Promise<void>;
}

/**
 * Starts a service with `config.workers` worker processes. Each worker is a complete service with a share of the limits. This process
 * migrates the database, starts and monitors the workers, and serves the admin port.
 *
 * @throws {OperatorError} as `startService` does
 */
export async function startCluster(
  config: Config,
  log: Logger,
  program: WorkerProgram = {},
): Promise<Cluster> {
  const { admin, otlp, workers, host, database: location } = config;
  const metrics = createExportedRegistry(config);
  const port = config.port === 0 ? await findPort(host) : config.port;
  // Replacement workers keep the original host, port, and worker count.
  const toWorkerConfig = (read: Config) => shareLimits({ ...read, admin, workers, host, port });
  const database = await openDatabase(
    location.engine === 'sqlite' ? location : { ...location, poolSize: primaryConnections },
    { log },
  );
  const group: WorkerGroup = new WorkerGroup(toWorkerConfig(config), {
    fork: () => forkWorker(program),
    log,
    onEnd: (worker, end) => clusterMetrics?.workerEnded(worker, end?.metrics),
  });
  const clusterMetrics = metrics && createClusterMetrics(metrics, group);
  let adminPort: AdminPort | undefined;
  let telemetry: Telemetry | undefined;
  let isDraining = false;

  async function readiness(): Promise<Readiness> {
    return isDraining ? { ready: false, reason: 'shutting_down' } : combineReadiness(group, workers);
  }

  if (metrics !== undefined) addReadinessGauge(metrics, readiness);

  async function stop(): Promise<boolean> {
    isDraining = true;
    const { workersMs, databaseMs } = clusterStopTimeouts;
    const endsAt = performance.now() + config.shutdownTimeoutMs + workersMs + databaseMs;
    const isInTime = await group.stop();
    const closed = database.close().then(
      () => true,
      (error: unknown) => {
        log.error({ err: error }, 'could not close the database');
        return false;
      },
    );
    const [isClosed] = await Promise.all([
      withTimeout(closed, databaseMs, () => false),
      telemetry?.stop(Math.max(0, endsAt - performance.now())),
    ]);
    await adminPort?.close();
    return isInTime && isClosed;
  }

  try {
    const baseUrl = await group.start();
    if (otlp?.metrics !== undefined)
      telemetry = (await import('../observe/otlp.js')).startTelemetry(
        // Workers export their traces themselves.
        { ...otlp, traces: undefined },
        { log, readMetrics: clusterMetrics?.read },
      );
    adminPort = await openAdminPort(admin, { readiness, metrics: clusterMetrics, log });
    return {
      baseUrl,
      adminUrl: adminPort.adminUrl,
      stop,
      accessTokens: createTokenService(database.accessTokens),
      appliedMigrations: database.appliedMigrations,
      async drain(delayMs) {
        isDraining = true;
        void group.drain();
        if (delayMs > 0) await delay(delayMs);
      },
      replaceWorkers: (readConfig) => group.replaceAll(() => toWorkerConfig(readConfig())),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How many PostgreSQL connections the primary process has. */
export const primaryConnections = 1;

/** Returns a worker's settings. The service's limits are divided equally among the workers. */
export function shareLimits(config: Config): Config {
  const { queueLimits, bodyMemoryLimitBytes, database, rateLimitPerMinute, authFailuresPerMinute } = config;
  const share = (limit: number) => Math.max(1, Math.floor(limit / config.workers));
  const shareUnlessNone = (limit: number) => (limit === 0 ? 0 : share(limit));
  return {
    ...config,
    bodyMemoryLimitBytes: share(bodyMemoryLimitBytes),
    rateLimitPerMinute: shareUnlessNone(rateLimitPerMinute),
    authFailuresPerMinute: shareUnlessNone(authFailuresPerMinute),
    queueLimits: {
      ...queueLimits,
      queueRecords: share(queueLimits.queueRecords),
      queueBytes: share(queueLimits.queueBytes),
    },
    database:
      database.engine === 'sqlite'
        ? database
        : { ...database, poolSize: share(database.poolSize - primaryConnections) },
  };
}

/** The ports to try if `PORT` is 0. Operating systems do not use these ports for outgoing connections, so the port stays free. */
const [firstPort, endPort] = [20_000, 32_768];
const portAttempts = 20;

/** Finds a free port. With port 0, workers that start after all others have ended would get a different port. */
async function findPort(host: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const server = createServer();
    const port = randomInt(firstPort, endPort);
    try {
      await listen(server, host, port);
      await new Promise((resolve) => server.close(resolve));
      return port;
    } catch (error) {
      if (attempt === portAttempts) throw error;
    }
  }
}

/** How long to wait for a worker's readiness, in milliseconds: longer than the worker waits for its database. */
const timeoutMs = 2_500;

/** Combines the workers' readiness. A service is ready if at least half of its workers are ready. */
export async function combineReadiness(
  group: Pick<WorkerGroup, 'responding'>,
  workers: number,
): Promise<Readiness> {
  // A worker that ends or hangs is not ready.
  const unavailable: Readiness = { ready: false, reason: 'database_unavailable' };
  const answers = await Promise.all(
    Array.from(group.responding().values(), (worker) =>
      withTimeout(worker.ask('readiness'), timeoutMs, () => unavailable).catch(() => unavailable),
    ),
  );
  const ready = answers.filter((answer) => answer.ready);
  const missing = workers - ready.length;
  if (ready.length < workers / 2) {
    return answers.find((answer) => !answer.ready) ?? { ready: false, reason: 'internal_error' };
  }
  const warnings = new Set(ready.flatMap((answer) => answer.warnings));
  const areNot = missing === 1 ? 'is not' : 'are not';
  if (missing > 0)
    warnings.add(
      `${missing} of ${workers} workers ${areNot} running, not responding, or unable to store records.`,
    );
  return { ready: true, warnings: [...warnings] };
}
