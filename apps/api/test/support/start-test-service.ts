import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, inject } from 'vitest';
import { startCluster } from '../../src/cluster/start-cluster.js';
import { type Config, parseConfig } from '../../src/config.js';
import { type Service, startService } from '../../src/service.js';
import { createTestDatabase } from './database/create-test-database.js';
import { insertToken } from './database/insert-token.js';
import type { TestDatabase } from './database/test-database.js';
import { afterTest } from './on-finished.js';
import { main } from './process/run-command.js';

/** A real service on a free port, with its own database. */
export interface TestService extends Service {
  /** A valid access token. */
  readonly token: string;
  /** Its database, on the engine of this vitest project; removed by `stop`, which is called after a test at the latest. */
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
    // These tests run the sources, and need no built page, nor a packed client.
    PAGE: 'off',
    CLIENT: 'off',
    FAST_PATH: inject('fastPath'),
    // All tests have one address, and many send tokens that are not valid.
    AUTH_FAILURES_PER_MINUTE: '1000000',
  };
  const config = change(parseConfig({ ...settings, ...environment }, '/'));
  const service = await start(config, log, (line) => void logLines.push(line));
  let stopped: Promise<boolean> | undefined;
  const stop = () => (stopped ??= service.stop().finally(database.remove));
  afterTest(stop);
  return { ...service, token: await insertToken(config.database), database, logLines, stop };
}

/** Starts a service for all tests of a file or a group, with the arguments of `startTestService`; it is there while they run. */
export function useTestService(...settings: Parameters<typeof startTestService>): TestService {
  const service = {} as TestService;
  beforeAll(async () => void Object.assign(service, await startTestService(...settings)));
  afterAll(() => service.stop());
  return service;
}

/** Starts the service in this process or, where the vitest project says so, with workers that run the built command. */
function start(config: Config, log: Logger, onLine: (line: string) => void): Promise<Service> {
  const workers = inject('workers');
  if (workers === 1) return startService(config, log);
  let rest = '';
  const onOutput = (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(`${line}\n`);
  };
  return startCluster({ ...config, workers }, log, { file: main, onOutput });
}
