import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import { type AuthenticationLimit, createAuthenticationLimit } from './auth/authentication-limit.js';
import { createLastUseRecorder } from './auth/last-use-recorder.js';
import {
  cacheTtlMs,
  createTokenService,
  type TokenService,
  type TokenVerifier,
} from './auth/token-service.js';
import type { Config } from './config.js';
import { createApp } from './http/create-app.js';
import { createGracefulShutdown, listen, trackConnections } from './http/listen.js';
import type { RequestCounts } from './http/middleware/rate-limit.js';
import { type ClientPackage, readClient } from './http/read-client.js';
import { type Page, readPage } from './http/read-page.js';
import { createServer } from './http/server.js';
import { createAdminServer, type ReadableMetrics } from './observe/admin-server.js';
import type { CommitHealth } from './observe/commit-health.js';
import { countTokenChecks } from './observe/measure-requests.js';
import { addServiceGauges, createRegistry } from './observe/metrics.js';
import { createReadiness, type Readiness } from './observe/readiness.js';
import type { RequestLog } from './observe/request-log.js';
import type { PlantReader } from './plants/plant-store.js';
import { ActiveCallers } from './runtime/active-callers.js';
import { type StopTime, startStopTime, stopTimeouts } from './runtime/stop-timeouts.js';
import { withTimeout } from './runtime/timing.js';
import { createTurns } from './runtime/turns.js';
import type { Batcher } from './store/batcher.js';
import type { Database } from './store/database.js';
import { openDatabase } from './store/open-database.js';

/** A service that is listening. */
export interface Service {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Where its admin port listens, such as `http://127.0.0.1:3001`; `undefined` without one. */
  readonly adminUrl: string | undefined;
  readonly accessTokens: TokenService;
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
 * Starts the service in this process.
 *
 * @param requestLog where requests are logged
 * @throws {OperatorError} when the page or the client cannot be served, the database cannot be opened or the address cannot be listened on
 */
export async function startService(
  config: Config,
  log: Logger,
  requestLog: RequestLog = log,
): Promise<Service> {
  // Nobody could read them without an admin port.
  const metrics = config.admin && createRegistry();
  const files = readConfiguredFiles(config);
  const { database, tokens } = await openBackend(config, { metrics, log });
  const backend = createBackend(config, { database, tokens, log });
  const api = await createApi(config, { backend, files, metrics, log, requestLog });
  return runService(config, {
    ...{ database, tokens, backend, metrics, log },
    readiness: backend.readiness,
    front: { listen: () => listen(api.server, config.host, config.port), stop: api.stop },
  });
}

/** The part of a database that requests use. */
export type ServedDatabase = Pick<Database, 'openWriter' | 'warnings' | 'close' | 'concurrentLists'> & {
  readonly plants: PlantReader;
};

/** What verifies the tokens of requests, and how it ends. */
export interface ServedTokens {
  /** Counts what it verifies, if there are metrics. */
  readonly accessTokens: Pick<TokenVerifier, 'verifyCached'>;
  readonly authenticationLimit: AuthenticationLimit;
  /** Stores when tokens were used, if that takes no longer than the time, in milliseconds. */
  closeTokens(withinMs: number): Promise<void>;
}

/** Where a part of the service reports what happens. */
interface Observers {
  /** Where metrics are registered; without one there are none. */
  readonly metrics: Registry | undefined;
  readonly log: Logger;
}

/**
 * Opens the database and what verifies tokens: access tokens of the service and, where the settings say so, JSON Web Tokens.
 *
 * @param ttlMs how long the result for a token is cached, in milliseconds
 */
export async function openBackend(config: Config, { metrics, log }: Observers, ttlMs = cacheTtlMs) {
  const database = await openDatabase(config.database, { log, metrics });
  const lastUses = createLastUseRecorder(database.accessTokens, log);
  const ownTokens = createTokenService(database.accessTokens, Date.now, lastUses.note, ttlMs);
  // Most services accept none of these, and start faster without.
  const withJwts =
    config.jwt &&
    (await import('./auth/accept-jwts.js')).acceptJwts(ownTokens, config.jwt, log, Date.now, ttlMs);
  const verified = withJwts ?? ownTokens;
  const accessTokens = metrics ? countTokenChecks(verified, metrics) : verified;
  const tokens = {
    accessTokens,
    authenticationLimit: createAuthenticationLimit(accessTokens, config.authFailuresPerMinute, log),
    closeTokens(withinMs: number) {
      withJwts?.close();
      return lastUses.close(withinMs);
    },
  };
  return { database, tokens };
}

/** What stores plants and verifies tokens, whatever brings the requests. */
export interface Backend {
  readonly plants: Batcher;
  /** What operations read from, and how many lists at a time. */
  readonly store: PlantReader;
  readonly concurrentLists: number;
  /** Who calls the service at the moment. */
  readonly callers: ActiveCallers;
  readonly health: CommitHealth;
  readonly tokens: ServedTokens;
  /** Aborted when the service is not ready any more, since it will stop. */
  readonly draining: AbortController;
  /** Whether it accepts creates, as `/readyz` shows it. */
  readiness(): Promise<Readiness>;
  /**
   * Stores last uses in the time that requests in flight have left, and closes the database once nothing is inserted.
   *
   * @returns whether it could be closed in time; an error is logged
   */
  close(time: StopTime): Promise<boolean>;
}

/** Connects what stores plants and verifies tokens. */
export function createBackend(
  config: Config,
  parts: { readonly database: ServedDatabase; readonly tokens: ServedTokens; readonly log: Logger },
): Backend {
  const { database, tokens, log } = parts;
  const { batcherLimits: limits, failingAfterMs } = config;
  const callers = new ActiveCallers();
  const { plants, health } = database.openWriter({ limits, callers, failingAfterMs });
  const draining = new AbortController();

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

  return {
    ...{ plants, store: database.plants, concurrentLists: database.concurrentLists },
    ...{ callers, health, tokens, draining },
    readiness: createReadiness({
      check: health.check,
      warnings: () => [...health.warnings(), ...(database.warnings?.() ?? [])],
      stopping: draining.signal,
      log,
    }),
    async close(time) {
      await tokens.closeTokens(time.untilCutOff());
      return withTimeout(closeDatabase(), time.toCloseDatabase(), () => false);
    },
  };
}

/** What the API of a process needs besides its settings. */
interface ApiParts extends Observers {
  readonly backend: Backend;
  readonly files: ConfiguredFiles;
  readonly requestLog: RequestLog;
  /** Where the requests of each caller are counted; by default in this process. */
  readonly requestCounts?: RequestCounts | undefined;
}

/** The HTTP server of the API, which does not listen yet. */
export interface Api {
  readonly server: Server;
  /** Those that are open. */
  readonly connections: { readonly size: number };
  /** Answers requests in flight, and closes the server; returns whether in time. */
  stop(time: StopTime): Promise<boolean>;
}

/** Creates the HTTP server of the API. */
export async function createApi(config: Config, parts: ApiParts): Promise<Api> {
  const { backend, files, metrics, log, requestLog, requestCounts } = parts;
  const { plants, store, concurrentLists, callers, tokens, health, draining } = backend;
  const stopping = new AbortController();
  const turns = createTurns(callers, config.workers);
  const app = await createApp({
    ...config,
    ...{ plants, store, concurrentLists, callers, turns, ...tokens, ...files },
    ...{ metrics, log, requestLog, requestCounts },
    draining: draining.signal,
    stopping: stopping.signal,
  });
  const server = createServer(app, log, { turns, fastPath: config.fastPath });
  const connections = trackConnections(server);
  const stopServer = createGracefulShutdown(server, connections);
  if (metrics !== undefined) addServiceGauges(metrics, { connections, plants, health });
  return {
    server,
    connections,
    stop(time) {
      stopping.abort();
      return stopServer(time.untilCutOff());
    },
  };
}

/** What is served besides the API; `undefined` for what is not. */
export interface ConfiguredFiles {
  /** The page on which people keep plants. */
  readonly page: Page | undefined;
  /** The packed client. */
  readonly client: ClientPackage | undefined;
}

/** @throws {OperatorError} when one of them cannot be served */
export function readConfiguredFiles({
  pageFolder,
  clientFolder,
}: Pick<Config, 'pageFolder' | 'clientFolder'>): ConfiguredFiles {
  return {
    page: pageFolder === undefined ? undefined : readPage(pageFolder),
    client: clientFolder === undefined ? undefined : readClient(clientFolder),
  };
}

/** Where requests come in: the HTTP server of this process, or the workers. */
export interface Front {
  /** Starts to listen, and returns the base address. */
  listen(): Promise<string>;
  /** Makes it close each connection with its next reply, as the draining signal makes the server of this process. */
  drain?(): void;
  /** Answers requests in flight, and closes the connections; returns whether in time. */
  stop(time: StopTime): Promise<boolean>;
}

/** What `runService` starts and stops. */
interface RunningParts {
  readonly database: Pick<Database, 'appliedMigrations'>;
  readonly tokens: Pick<Service, 'accessTokens'>;
  readonly backend: Backend;
  readonly front: Front;
  /** As the admin port shows it. */
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: ReadableMetrics | undefined;
  readonly log: Logger;
  /** How long the database may take to close even if all other time is over, in milliseconds. */
  readonly leastDatabaseMs?: number;
}

/** Listens, the admin port last, until it is stopped: in the same order. */
export async function runService(config: Config, parts: RunningParts): Promise<Service> {
  const { database, tokens, backend, front, readiness, metrics, log, leastDatabaseMs } = parts;
  const adminServer = createAdminServer({ readiness, metrics, log });
  const stopAdminServer = createGracefulShutdown(adminServer);

  async function stop(): Promise<boolean> {
    const inTime = await stopServing(config, { backend, front }, leastDatabaseMs);
    await stopAdminServer(stopTimeouts.adminMs);
    return inTime;
  }

  try {
    const baseUrl = await front.listen();
    const adminUrl =
      config.admin && (await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_'));
    return {
      ...{ baseUrl, adminUrl, stop },
      accessTokens: tokens.accessTokens,
      appliedMigrations: database.appliedMigrations,
      async drain(delayMs) {
        backend.draining.abort();
        front.drain?.();
        if (delayMs > 0) await delay(delayMs);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Answers the requests in flight, and closes the database; returns whether in time. */
export async function stopServing(
  { shutdownTimeoutMs }: Pick<Config, 'shutdownTimeoutMs'>,
  { backend, front }: { readonly backend: Backend; readonly front: Pick<Front, 'stop'> },
  leastDatabaseMs?: number,
): Promise<boolean> {
  backend.draining.abort();
  const time = startStopTime(shutdownTimeoutMs, leastDatabaseMs);
  const answered = await front.stop(time);
  return (await backend.close(time)) && answered;
}
