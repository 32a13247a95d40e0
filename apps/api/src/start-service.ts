import type { Logger } from 'pino';
import { createAdminServer } from './admin/create-admin-server.js';
import { assembleService, openAccessTokens } from './assemble-service.js';
import type { AccessTokens } from './auth/access-tokens.js';
import type { Config } from './config.js';
import { openDatabase } from './database/open-database.js';
import { readPage } from './http/page/read-page.js';
import { createGracefulShutdown } from './http/server/graceful-shutdown.js';
import { listen } from './http/server/listen.js';
import type { RequestLog } from './logging/request-log.js';
import { createRegistry } from './metrics/create-registry.js';
import { stopTimeouts } from './runtime/stop-timeouts.js';

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
