import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import { type AdminPort, maxAdminConnections, openAdminPort } from './admin-port.js';
import { createLastUseRecorder } from './auth/last-use-recorder.js';
import { type AccessTokenStore, createTokenService, type TokenService } from './auth/token-service.js';
import type { Config } from './config.js';
import { createApp } from './http/create-app.js';
import {
  countAllowedConnections,
  createGracefulShutdown,
  limitConnections,
  listen,
  readOpenFilesLimit,
  trackConnections,
} from './http/listen.js';
import { readClient, readPage } from './http/routes/built-files.js';
import { createServer } from './http/server.js';
import { createCommitRecord } from './observe/commit-health.js';
import { countTokenChecks } from './observe/measure-requests.js';
import {
  addReadinessGauge,
  addServiceGauges,
  addTokenExpiryGauge,
  createExportedRegistry,
  exportsMetrics,
} from './observe/metrics.js';
import { createReadiness, type Readiness } from './observe/readiness.js';
import { createConnectionLog } from './observe/rejection-log.js';
import { ActiveCallers } from './runtime/callers.js';
import { stopTimeouts, withTimeout } from './runtime/timing.js';
import { createTurns } from './runtime/turns.js';
import { cleanHistory } from './store/clean-history.js';
import { createCommitQueue } from './store/commit-queue.js';
import { openDatabase } from './store/open-database.js';

export interface Service {
  /** The address that the service listens on, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** The address that the admin port listens on, such as `http://127.0.0.1:3001`; `undefined` without an admin port. */
  readonly adminUrl: string | undefined;
  readonly accessTokens: TokenService;
  readonly appliedMigrations: readonly string[];
  /**
   * Makes the service report that it is not ready, and resolves after the delay, in milliseconds. The service accepts requests until
   * `stop`.
   */
  drain(delayMs: number): Promise<void>;
  /**
   * Stops the service: accepts no new connections, answers the requests in flight, and closes the database and then the admin port.
   * Database work that does not finish in time continues until the process ends, but is never acknowledged, because the connections of
   * those requests are closed first.
   *
   * @returns whether all requests in flight were answered and the database was closed within the configured time
   */
  stop(): Promise<boolean>;
}

/** A service that runs in this process. */
export interface ServiceProcess extends Service {
  /** Returns whether the service accepts creates, as `/readyz` reports it. */
  readiness(): Promise<Readiness>;
  /**
   * Stops accepting connections, and closes each open connection with its next reply. Resolves once all are closed, or after the time, in
   * milliseconds.
   */
  retire(withinMs: number): Promise<void>;
}

interface ServiceOptions {
  /** The registry for the service's metrics; by default a new registry if anything exports metrics. */
  readonly metrics?: Registry | undefined;
  readonly onConnection?: () => void;
}

/** How often a retiring service checks whether all connections have ended, in milliseconds. */
const retirePollMs = 50;

/**
 * Starts the service in this process: opens the database, listens, and then opens the admin port.
 *
 * @throws {OperatorError} if the limit on open files is too low, the page or the client cannot be served, the database cannot be opened, or
 * the server cannot listen on the address
 */
export async function startService(
  config: Config,
  log: Logger,
  { metrics = createExportedRegistry(config), onConnection }: ServiceOptions = {},
): Promise<ServiceProcess> {
  const { admin: adminAddress, database: location } = config;
  const otherConnections =
    (adminAddress ? maxAdminConnections : 0) + (location.engine === 'sqlite' ? 0 : location.poolSize);
  const allowedConnections = countAllowedConnections(readOpenFilesLimit(), otherConnections);
  const page = config.pageFolder === undefined ? undefined : readPage(config.pageFolder, config.jwt?.signIn);
  const client = config.clientFolder === undefined ? undefined : readClient(config.clientFolder);
  const callers = new ActiveCallers();
  const database = await openDatabase(config.database, { log, metrics, historyDays: config.historyDays });
  const tokens = await openTokens(config, database.accessTokens, { metrics, log });
  const commits = createCommitRecord(database, config.failingAfterMs, metrics);
  const queue = createCommitQueue({ database, limits: config.queueLimits, callers, commits });
  const history = config.historyDays === undefined ? undefined : cleanHistory(database.stores, log);
  const draining = new AbortController();
  const stopping = new AbortController();
  const readiness = createReadiness({
    check: commits.check,
    warnings: () => database.warnings?.() ?? [],
    stopping: draining.signal,
    log,
  });
  // Loaded only if needed, because most services export no telemetry.
  const readMetrics = metrics && (() => metrics.getMetricsAsJSON());
  const telemetry =
    config.otlp && (await import('./observe/otlp.js')).startTelemetry(config.otlp, { log, readMetrics });
  const turns = createTurns(callers, config.workers);
  const app = createApp({
    ...config,
    queue,
    stores: database.stores,
    concurrentLists: database.concurrentLists,
    accessTokens: tokens.verifier,
    ownTokens: tokens.own,
    audit: database.audit,
    callers,
    turns,
    page,
    client,
    metrics,
    log,
    traces: telemetry?.requests,
    draining: draining.signal,
    stopping: stopping.signal,
  });
  const server = createServer(app, log, { turns, fastPath: config.fastPath });
  limitConnections(
    server,
    allowedConnections,
    createConnectionLog(log, allowedConnections, stopping.signal, metrics),
  );
  const connections = trackConnections(server);
  if (onConnection !== undefined) server.on('connection', onConnection);
  const stopServer = createGracefulShutdown(server, connections);
  if (metrics !== undefined) {
    addServiceGauges(metrics, { connections, queue });
    addTokenExpiryGauge(metrics, database.accessTokens);
    if (exportsMetrics(config)) addReadinessGauge(metrics, readiness);
  }
  let admin: AdminPort | undefined;

  async function closeDatabase(): Promise<boolean> {
    try {
      await queue.idle();
      await history?.stop();
      await database.close();
      return true;
    } catch (error) {
      log.error({ err: error }, 'could not close the database');
      return false;
    }
  }

  async function stop(): Promise<boolean> {
    draining.abort();
    stopping.abort();
    const cutOffAt = performance.now() + config.shutdownTimeoutMs;
    /** Returns the time left until requests in flight are cut off, plus a margin, in milliseconds. */
    const remainingMs = (marginMs: number) => Math.max(0, cutOffAt + marginMs - performance.now());
    const isAnswered = await stopServer(remainingMs(0));
    await tokens.close(remainingMs(0));
    const [isClosed] = await Promise.all([
      withTimeout(closeDatabase(), remainingMs(stopTimeouts.databaseMs), () => false),
      telemetry?.stop(remainingMs(stopTimeouts.databaseMs)),
    ]);
    await admin?.close();
    return isAnswered && isClosed;
  }

  try {
    const baseUrl = await listen(server, config.host, config.port);
    admin = await openAdminPort(config.admin, { readiness, metrics, log });
    return {
      baseUrl,
      adminUrl: admin.adminUrl,
      readiness,
      stop,
      accessTokens: tokens.own,
      appliedMigrations: database.appliedMigrations,
      async drain(delayMs) {
        draining.abort();
        if (delayMs > 0) await delay(delayMs);
      },
      async retire(withinMs) {
        // Closes only the listening socket. An HTTP server's `close` would also close idle connections.
        NetServer.prototype.close.call(server);
        draining.abort();
        const endsAt = performance.now() + withinMs;
        while (connections.size > 0 && performance.now() < endsAt) await delay(retirePollMs);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the verifier of access tokens and, if configured, of JSON Web Tokens. */
async function openTokens(
  { jwt }: Config,
  store: AccessTokenStore,
  { metrics, log }: { readonly metrics: Registry | undefined; readonly log: Logger },
) {
  const lastUses = createLastUseRecorder(store, log);
  const own = createTokenService(store, Date.now, lastUses.note);
  // Loaded only if needed: most services accept no JSON Web Tokens, and start faster without the module.
  const withJwts = jwt && (await import('./auth/accept-jwts.js')).acceptJwts(own, jwt, log);
  const verified = withJwts ?? own;
  const verifier = metrics ? countTokenChecks(verified, metrics) : verified;
  return {
    own,
    verifier,
    /** Stores when tokens were last used. Waits at most the given time, in milliseconds. */
    close(withinMs: number) {
      withJwts?.close();
      return lastUses.close(withinMs);
    },
  };
}
