import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresqlServer } from '@plant-store/postgresql-server';
import { retry } from '../../../src/runtime/timing.js';

/** A real PostgreSQL server on a free port of 127.0.0.1, with its data in a new folder. */
export interface TestPostgresql {
  /** The URI of the server, without a database. */
  readonly url: string;
  /** Starts the server again after `stop` or `kill`, on the same port and data. */
  start(): Promise<void>;
  /** Stops the server immediately, as an operator would: its connections are closed. */
  stop(): Promise<void>;
  /**
   * Ends the server and resolves once it has exited: by a crash of all its processes (SIGKILL), without a checkpoint
   * (SIGQUIT), or as `stop` does (SIGINT).
   */
  kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Stops it for good and removes its data. */
  remove(): Promise<void>;
}

/** How a restart is retried: after a crash, the old shared memory stays in use for a moment. */
const startPolicy = { timeoutMs: 60_000, delayMs: 50 };

/** Creates and starts a server, with settings that differ from the defaults. Its output is shown only if it does not start. */
export async function startPostgresql(
  settings: Readonly<Record<string, string>> = {},
): Promise<TestPostgresql> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgresql-'));
  const server = await createPostgresqlServer({
    folder: join(folder, 'postgresql'),
    settings: { max_connections: '200', ...settings },
  });
  await server.start();
  return {
    url: server.url,
    start: () =>
      retry(
        () => server.start(),
        () => true,
        startPolicy,
      ),
    stop: () => server.stop(),
    async kill(signal) {
      const [postmaster = ''] = readFileSync(join(server.dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      await end(Number(postmaster), signal);
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a signal to the main process of a server, SIGKILL to its children too, and waits until the main one exits. */
async function end(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  if (signal === 'SIGKILL') {
    // While stopped, it starts no more children.
    process.kill(postmaster, 'SIGSTOP');
    for (const child of findChildren(postmaster)) process.kill(child, signal);
  }
  process.kill(postmaster, signal);
  while (isAlive(postmaster)) await sleep(5);
}

function findChildren(parent: number): number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = processes.map((line) => line.trim().split(/ +/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
