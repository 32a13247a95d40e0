import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createAdminServer } from './admin/create-admin-server.js';
import { createReadiness, type Readiness } from './admin/readiness.js';
import { type AccessTokens, createAccessTokens } from './auth/access-tokens.js';
import { createLastUseRecorder } from './auth/last-use-recorder.js';
import type { Config } from './config.js';
import type { Database } from './database/database.js';
import { openDatabase } from './database/open-database.js';
import { createApp } from './http/create-app.js';
import { readPage } from './http/page/read-page.js';
import { createServer } from './http/server/create-server.js';
import { createGracefulShutdown } from './http/server/graceful-shutdown.js';
import { listen } from './http/server/listen.js';
import type { RequestLog } from './logging/request-log.js';
import { addServiceGauges } from './metrics/add-service-gauges.js';
import { countTokenChecks } from './metrics/count-token-checks.js';
import { createRegistry } from './metrics/create-registry.js';
import { measureInserts } from './metrics/measure-inserts.js';
import { type CommitHealth, createCommitHealth } from './plants/commits/commit-health.js';
import { createCommitMonitor } from './plants/commits/commit-monitor.js';
import { createPlantBatcher } from './plants/plant-batcher.js';
import { stopTimeouts } from './runtime/stop-timeouts.js';
import { withTimeout } from './runtime/with-timeout.js';

/** A service that is listening. */
export interface Service {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Where its admin port listens, such as `http://127.0.0.1:3001`; `undefined` without one. */
  readonly adminUrl: string | undefined;
  readonly accessTokens: AccessTokens;
  /** The migrations that the start applied, in order. */
  readonly appliedMigrations: readonly string[];
  /** Makes it not ready from now on, and resolves after the delay, in milliseconds; until `stop` it accepts requests. */
  drain(delayMs: number): Promise<void>;
  /**
   * Stops it: it accepts no new connections, requests in flight are answered, the database is closed, and the admin port
   * last. Work that the database has not finished in time continues until the process ends; the connections of its
   * requests are closed by then, so none of it is acknowledged.
   *
   * @returns whether all requests in flight were answered, and the database closed, within the configured time
   */
  stop(): Promise<boolean>;
}

/**
 * Opens the database, assembles the service and listens.
 *
 * @param requestLog where requests are logged
 * @throws {OperatorError} when the page cannot be served, the database cannot be opened or the address cannot be listened on
 */
export async function startService(
  config: Config,
  log: Logger,
  requestLog: RequestLog = log,
): Promise<Service> {
  const page = config.pageFolder === undefined ? undefined : readPage(config.pageFolder);
  // Nobody could read them without an admin port.
  const metrics = config.admin && createRegistry();
  const database = await openDatabase(config.database, { log, metrics });
  const { accessTokens, closeTokens } = await openAccessTokens(config, database, metrics, log);
  const draining = new AbortController();
  const stopping = new AbortController();
  const { commits, health } = watchCommits(database, metrics, log);
  const plants = createPlantBatcher(commits, { ...config.batcherLimits, routing: database.routing });
  const app = await createApp({
    ...config,
    page,
    plants,
    accessTokens,
    metrics,
    log,
    requestLog,
    draining: draining.signal,
    stopping: stopping.signal,
  });
  const server = createServer(app, log, { fastPath: config.fastPath });
  const stopServer = createGracefulShutdown(server);
  if (metrics !== undefined) addServiceGauges(metrics, { server, plants, health });
  const readiness = createServiceReadiness(database, health, draining.signal, log);
  const adminServer = createAdminServer({ readiness, metrics, log });
  const stopAdminServer = createGracefulShutdown(adminServer);

  async function drain(delayMs: number): Promise<void> {
    draining.abort();
    if (delayMs > 0) await delay(delayMs);
  }

  async function stop(): Promise<boolean> {
    draining.abort();
    stopping.abort();
    const cutOffAt = performance.now() + config.shutdownTimeoutMs;
    const answered = await stopServer(config.shutdownTimeoutMs);
    // Only in the time that requests in flight have left.
    await closeTokens(cutOffAt - performance.now());
    const closingMs = cutOffAt + stopTimeouts.databaseMs - performance.now();
    const closed = await withTimeout(closeDatabase(), closingMs, () => false);
    await stopAdminServer(stopTimeouts.adminMs);
    return answered && closed;
  }

  async function closeDatabase(): Promise<boolean> {
    try {
      await plants.idle();
      await database.close();
      return true;
    } catch (error) {
      log.error({ err: error }, 'could not close the database');
      return false;
    }
  }

  try {
    const baseUrl = await listen(server, config.host, config.port);
    const adminUrl =
      config.admin && (await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_'));
    const { appliedMigrations } = database;
    return { baseUrl, adminUrl, accessTokens, appliedMigrations, drain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What verifies the tokens of requests: access tokens of the service and, where the settings say so, JSON Web Tokens. */
async function openAccessTokens(
  config: Config,
  database: Database,
  metrics: Registry | undefined,
  log: Logger,
): Promise<{ accessTokens: AccessTokens; closeTokens(withinMs: number): Promise<void> }> {
  const lastUses = createLastUseRecorder(database.accessTokens, log);
  const ownTokens = createAccessTokens(database.accessTokens, Date.now, lastUses.note);
  // Most services accept none of these, and start faster without.
  const withJwts =
    config.jwt && (await import('./auth/jwt/accept-jwts.js')).acceptJwts(ownTokens, config.jwt, log);
  const tokens = withJwts ?? ownTokens;
  return {
    accessTokens: metrics ? countTokenChecks(tokens, metrics) : tokens,
    closeTokens(withinMs) {
      withJwts?.close();
      return lastUses.close(withinMs);
    },
  };
}

/** Measures the commits of the database, and watches whether they succeed. */
function watchCommits(database: Database, metrics: Registry | undefined, log: Logger) {
  const inserter = metrics ? measureInserts(database.plants, metrics) : database.plants;
  const commits = createCommitMonitor(inserter, database.routing);
  return { commits, health: createCommitHealth({ commits, database, log }) };
}

function createServiceReadiness(
  database: Database,
  health: CommitHealth,
  stopping: AbortSignal,
  log: Logger,
): () => Promise<Readiness> {
  return createReadiness({
    check: health.check,
    warnings: () => [...health.warnings(), ...(database.warnings?.() ?? [])],
    stopping,
    log,
  });
}
