import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { onTestFinished } from 'vitest';
import { createTestDatabase } from '../database/create-test-database.js';
import { onFinished } from '../on-finished.js';
import { readPlants } from '../read-plants.js';
import { temporaryFolder } from '../temporary-folder.js';
import { until } from '../until.js';
import { issueToken, startServe } from './run-command.js';

/** A service with two workers on SQLite, and what tests do with it. */
export async function startWorkers(environment: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const database = await createTestDatabase('sqlite');
  onFinished(() => database.remove());
  const settings = { WORKERS: '2', ADMIN_PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: database.url };
  const token = await issueToken({ folder, environment: settings });
  const { command, baseUrl, adminUrl } = await startServe({
    folder,
    environment: { ...settings, ...environment },
  });
  const pid = command.process.pid ?? 0;
  return {
    command,
    baseUrl,
    token,
    pid,
    readPlants: () => readPlants({ database }),
    workers: () => readWorkers(pid),
    readMetric: (name: string) => readMetric(adminUrl, name),
    async readReadiness() {
      const response = await fetch(`${adminUrl}/readyz`);
      return { status: response.status, body: await response.json() };
    },
  };
}

/** The ids of the processes that a process has started. */
function readWorkers(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Whether a process has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The sum of a metric over all labels. */
async function readMetric(adminUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** The delay of a caller after a reply: while a test waits for a process to start, the load must not slow that down. */
const delayMs = 5;

/** The next id that one of them sends. */
let next = 2n ** 62n;

/** Callers that never retry, each with an id at a time, until they are stopped. */
export function startCallers({ baseUrl, token }: { readonly baseUrl: string; readonly token: string }) {
  const client = createClient({ baseUrl, token, retries: 0 });
  const acknowledged = new Set<bigint>();
  const failures: string[] = [];
  let stopped = false;
  async function call(): Promise<void> {
    while (!stopped) {
      const id = next++;
      await client.createPlant({ body: { id, name: 'Fern' } }).then(
        ({ status }) => void (status === 200 ? acknowledged.add(id) : failures.push(String(status))),
        (error: unknown) => void failures.push(String(error)),
      );
      await sleep(delayMs);
    }
  }
  const calls = Promise.all(Array.from({ length: 8 }, call));
  onTestFinished(() => {
    stopped = true;
  });
  return {
    failures,
    acknowledged,
    async acknowledgements(count: number) {
      const goal = acknowledged.size + count;
      await until(() => acknowledged.size >= goal);
    },
    async end() {
      stopped = true;
      await calls;
    },
  };
}
