import { pino } from 'pino';
import { inject } from 'vitest';
import { type Config, parseConfig } from '../../src/config.js';
import { type Service, startService } from '../../src/start-service.js';
import { createTestDatabase } from './database/create-test-database.js';
import type { TestDatabase } from './database/test-database.js';

/** A real service on a free port, with its own database. */
export interface TestService extends Service {
  /** A valid access token. */
  readonly token: string;
  /** Its database, on the engine of this vitest project; removed by `stop`. */
  readonly database: TestDatabase;
  /** The lines logged so far, as written. */
  readonly logLines: readonly string[];
}

/**
 * Starts a service for a test; `environment` holds the settings that differ from the defaults.
 *
 * @param change changes what is no setting
 */
export async function startTestService(
  environment: Readonly<Record<string, string>> = {},
  change: (config: Config) => Config = (config) => config,
): Promise<TestService> {
  const database = await createTestDatabase(inject('engine'));
  const logLines: string[] = [];
  const log = pino({}, { write: (line) => void logLines.push(line) });
  const settings = {
    PORT: '0',
    DATABASE_URL: database.url,
    // These tests run the sources, and need no built page.
    PAGE: 'off',
    FAST_PATH: inject('fastPath'),
    // All tests have one address, and many send tokens that are not valid.
    AUTH_FAILURES_PER_MINUTE: '1000000',
  };
  const config = change(parseConfig({ ...settings, ...environment }, '/'));
  const service = await startService(config, log);
  const { text: token } = await service.accessTokens.issue({ name: 'test' });
  return {
    ...service,
    token,
    database,
    logLines,
    async stop() {
      const inTime = await service.stop();
      await database.remove();
      return inTime;
    },
  };
}
