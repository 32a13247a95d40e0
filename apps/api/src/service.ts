import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AccessTokenStore } from './auth/access-token-store.js';
import {
  type AccessTokens,
  cacheTtlMs,
  createAccessTokens,
  type TokenVerifier,
} from './auth/access-tokens.js';
import { type AuthenticationLimit, createLoggedAuthenticationLimit } from './auth/authentication-limit.js';
import { createLastUseRecorder } from './auth/last-use-recorder.js';
import type { Config } from './config.js';
import { createApp } from './http/create-app.js';
import { createGracefulShutdown, trackConnections } from './http/graceful-shutdown.js';
import { listen } from './http/listen.js';
import type { RequestCounts } from './http/middleware/rate-limit.js';
import { type Page, readPage } from './http/read-page.js';
import { createServer } from './http/server.js';
import { createAdminServer } from './observe/admin-server.js';
import { countTokenChecks } from './observe/count-token-checks.js';
import { measureInserts } from './observe/measure-store.js';
import { addServiceGauges, createRegistry } from './observe/metrics.js';
import { createReadiness, type Readiness } from './observe/readiness.js';
import type { RequestLog } from './observe/request-log.js';
import {
  type CommitHealth,
  type CommitMonitor,
  createCommitHealth,
  createCommitMonitor,
} from './plants/commit-health.js';
import { createPlantBatcher } from './plants/plant-batcher.js';
import { startStopTime, stopTimeouts } from './runtime/stop-timeouts.js';
import { withTimeout } from './runtime/timing.js';
import type { Database } from './store/database.js';
import { openDatabase } from './store/open-database.js';

/** What a service is assembled from besides its settings. */
interface ServiceParts {
  readonly database: ServedDatabase;
  readonly tokens: ServedTokens;
  /** The page on which people add plants; `undefined` where it is not served. */
  readonly page: Page | undefined;
  /** Where its metrics are registered; without one there are none. */
  readonly metrics: Registry | undefined;
  /** Whether another process measures the commits of the database. */
  readonly commitsElsewhere?: boolean;
  readonly log: Logger;
  readonly requestLog: RequestLog;
  /** Where the requests of each caller are counted; by default in this process. */
  readonly requestCounts?: RequestCounts | undefined;
}

/** The part of a database that requests use. */
export type ServedDatabase = Pick<
  Database,
  'plants' | 'check' | 'tryCommit' | 'warnings' | 'routing' | 'close'
>;

/** A service that does not listen yet. */
interface AssembledService {
  readonly server: Server;
  /** Those that are open. */
  readonly connections: { readonly size: number };
  readiness(): Promise<Readiness>;
  /** As `Service.drain`. */
  drain(delayMs: number): Promise<void>;
  /** As `Service.stop`, which stops the admin port besides. */
  stop(): Promise<boolean>;
}

/** Connects everything between the port of the API and an open database. */
export async function assembleService(config: Config, parts: ServiceParts): Promise<AssembledService> {
  const { database, tokens, metrics, log, commitsElsewhere = false, ...others } = parts;
  const draining = new AbortController();
  const stopping = new AbortController();
  const { commits, health } = watchCommits(config, database, commitsElsewhere ? undefined : metrics, log);
  const plants = createPlantBatcher(commits, { ...config.batcherLimits, routing: database.routing });
  const app = await createApp({
    ...config,
    ...others,
    ...{ plants, ...tokens, metrics, log },
    draining: draining.signal,
    stopping: stopping.signal,
  });
  const server = createServer(app, log, { fastPath: config.fastPath });
  const connections = trackConnections(server);
  const stopServer = createGracefulShutdown(server, connections);
  if (metrics !== undefined) addServiceGauges(metrics, { connections, plants, health });

  return {
    server,
    connections,
    readiness: createServiceReadiness(database, health, draining.signal, log),
    async drain(delayMs) {
      draining.abort();
      if (delayMs > 0) await delay(delayMs);
    },
    async stop() {
      draining.abort();
      stopping.abort();
      const time = startStopTime(config.shutdownTimeoutMs);
      const answered = await stopServer(time.untilCutOff());
      // Only in the time that requests in flight have left.
      await tokens.closeTokens(time.untilCutOff());
      const closing = closeDatabase(database, plants, log);
      return (await withTimeout(closing, time.toCloseDatabase(), () => false)) && answered;
    },
  };
}

/**
 * Closes a database once nothing is inserted any more.
 *
 * @returns whether it could be closed; if not, the cause is logged
 */
export async function closeDatabase(
  database: Pick<Database, 'close'>,
  inserts: { idle(): Promise<void> },
  log: Logger,
): Promise<boolean> {
  try {
    await inserts.idle();
    await database.close();
    return true;
  } catch (error) {
    log.error({ err: error }, 'could not close the database');
    return false;
  }
}

/** What verifies the tokens of requests, and how it ends. */
export interface ServedTokens {
  /** Counts what it verifies, if there are metrics. */
  readonly accessTokens: Pick<TokenVerifier, 'verifyCached'>;
  readonly authenticationLimit: AuthenticationLimit;
  /** Stores when tokens were used, if that takes no longer than the time, in milliseconds. */
  closeTokens(withinMs: number): Promise<void>;
}

/**
 * What verifies the tokens of requests: access tokens of the service and, where the settings say so, JSON Web Tokens.
 *
 * @param ttlMs how long a result is cached, in milliseconds
 */
export async function openAccessTokens(
  { jwt, authFailuresPerMinute }: Pick<Config, 'jwt' | 'authFailuresPerMinute'>,
  database: { readonly accessTokens: AccessTokenStore },
  metrics: Registry | undefined,
  log: Logger,
  ttlMs = cacheTtlMs,
): Promise<ServedTokens & { readonly accessTokens: AccessTokens }> {
  const lastUses = createLastUseRecorder(database.accessTokens, log);
  const ownTokens = createAccessTokens(database.accessTokens, Date.now, lastUses.note, ttlMs);
  // Most services accept none of these, and start faster without.
  const withJwts =
    jwt && (await import('./auth/accept-jwts.js')).acceptJwts(ownTokens, jwt, log, Date.now, ttlMs);
  const tokens = withJwts ?? ownTokens;
  const accessTokens = metrics ? countTokenChecks(tokens, metrics) : tokens;
  return {
    accessTokens,
    authenticationLimit: createLoggedAuthenticationLimit(accessTokens, authFailuresPerMinute, log),
    closeTokens(withinMs) {
      withJwts?.close();
      return lastUses.close(withinMs);
    },
  };
}

/** Measures the commits of the database, and watches whether they succeed. */
export function watchCommits(
  { failingAfterMs }: Pick<Config, 'failingAfterMs'>,
  database: Pick<ServedDatabase, 'plants' | 'routing' | 'check' | 'tryCommit'>,
  metrics: Registry | undefined,
  log: Logger,
): { commits: CommitMonitor; health: CommitHealth } {
  const inserter = metrics ? measureInserts(database.plants, metrics) : database.plants;
  const commits = createCommitMonitor(inserter, database.routing, failingAfterMs);
  return { commits, health: createCommitHealth({ commits, database, log }) };
}

/** Whether a service accepts creates, as `/readyz` shows it. */
export function createServiceReadiness(
  database: Pick<Database, 'warnings'>,
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
  const tokens = await openAccessTokens(config, database, metrics, log);
  const service = await assembleService(config, { database, tokens, page, metrics, log, requestLog });
  const { server, readiness, drain } = service;
  const adminServer = createAdminServer({ readiness, metrics, log });
  const stopAdminServer = createGracefulShutdown(adminServer);

  async function stop(): Promise<boolean> {
    const inTime = await service.stop();
    await stopAdminServer(stopTimeouts.adminMs);
    return inTime;
  }

  try {
    const baseUrl = await listen(server, config.host, config.port);
    const adminUrl =
      config.admin && (await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_'));
    const { appliedMigrations } = database;
    return { baseUrl, adminUrl, accessTokens: tokens.accessTokens, appliedMigrations, drain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
