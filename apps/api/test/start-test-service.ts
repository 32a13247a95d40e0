import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { parseConfig } from '../src/config.js';
import { type Service, startService } from '../src/start-service.js';

/** A real service on a free port, over a database of its own in a new folder. */
export interface TestService extends Service {
  /** The text of a valid access token. */
  readonly token: string;
  /** The folder that holds the database, `plant-store.db`; removed by `stop`. */
  readonly folder: string;
  /** The lines logged so far, each as it was written. */
  readonly logLines: readonly string[];
}

/** Starts a service for a test; `environment` holds the settings that differ from the defaults. */
export async function startTestService(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  const logLines: string[] = [];
  const log = pino({}, { write: (line) => void logLines.push(line) });
  const config = parseConfig({ PORT: '0', DATABASE_URL: 'file:plant-store.db', ...environment }, folder);
  const service = await startService(config, log);
  const { text: token } = await service.accessTokens.issue({ name: 'test' });
  return {
    ...service,
    token,
    folder,
    logLines,
    async stop() {
      const inTime = await service.stop();
      rmSync(folder, { recursive: true, force: true });
      return inTime;
    },
  };
}
