import { createTestDatabase } from '../database/create-test-database.js';
import { onFinished } from '../on-finished.js';
import { readPlants } from '../read-plants.js';
import { temporaryFolder } from '../temporary-folder.js';
import { childrenOf } from './processes.js';
import { issueToken, startServe } from './run-command.js';

/** A service with two workers on SQLite, and what tests do with it. */
export async function startWorkers(environment: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const database = await createTestDatabase('sqlite');
  onFinished(() => database.remove());
  const settings = { WORKERS: '2', ADMIN_PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: database.url };
  const token = await issueToken({ folder, environment: settings });
  const service = await startServe({ folder, environment: { ...settings, ...environment } });
  const { adminUrl, command } = service;
  const pid = command.process.pid ?? 0;
  return {
    ...service,
    token,
    pid,
    readPlants: () => readPlants({ database }),
    workers: () => childrenOf(pid),
    readMetric: (name: string) => readMetric(adminUrl, name),
    async readReadiness() {
      const response = await fetch(`${adminUrl}/readyz`);
      return { status: response.status, body: await response.json() };
    },
  };
}

/** The sum of a metric over all labels. */
async function readMetric(adminUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
