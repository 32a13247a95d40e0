import type { Logger } from 'pino';
import { type AccessTokens, createAccessTokens } from './auth/access-tokens.js';
import type { Config } from './config.js';
import { openDatabase } from './database/open-database.js';
import { createApp } from './http/create-app.js';
import { createServer } from './http/create-server.js';
import { listen } from './operations/listen.js';
import { stoppable } from './operations/stop-server.js';
import { createPlantWriter } from './plants/plant-writer.js';

/** A service that is listening. */
export interface Service {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly accessTokens: AccessTokens;
  /** The migrations that the start applied, in order. */
  readonly appliedMigrations: readonly string[];
  /**
   * Stops it: no new connections, running requests are answered, the database is closed.
   *
   * @returns whether all running requests were answered within the configured time
   */
  stop(): Promise<boolean>;
}

/**
 * Opens the database, puts the service together and listens.
 *
 * @throws {OperatorError} when the database cannot be opened or the address cannot be had
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const database = await openDatabase(config.database);
  const accessTokens = createAccessTokens(database.accessTokens);
  const stopping = new AbortController();
  const plants = createPlantWriter(database.plants, config.writerLimits);
  const app = createApp({ ...config, plants, accessTokens, log, stopping: stopping.signal });
  const server = createServer(app, log);
  const stopServer = stoppable(server);
  try {
    const baseUrl = await listen(server, config.host, config.port);
    return {
      baseUrl,
      accessTokens,
      appliedMigrations: database.appliedMigrations,
      async stop() {
        stopping.abort();
        const inTime = await stopServer(config.shutdownTimeoutMs);
        await plants.idle();
        await database.close();
        return inTime;
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
