import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresqlServer } from '@plant-store/postgresql-server';
import { retry } from '../../../src/runtime/timing.js';
import { childrenOf, isRunning } from '../process/processes.js';
import { until } from '../until.js';

/** How a restart is retried: after a crash, the old shared memory stays in use for a moment. */
const startPolicy = { timeoutMs: 60_000, delayMs: 50 };

/** A real PostgreSQL server on a free port of 127.0.0.1, with its data in a new folder. */
export type TestPostgresql = Awaited<ReturnType<typeof startPostgresql>>;

/** Creates and starts a server, with settings that differ from the defaults. Its output is shown only if it does not start. */
export async function startPostgresql(settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgresql-'));
  const server = await createPostgresqlServer({
    folder: join(folder, 'postgresql'),
    settings: { max_connections: '200', ...settings },
  });
  await server.start();
  return {
    /** The URI of the server, without a database. */
    url: server.url,
    /** Starts the server again after `stop` or `kill`, on the same port and data. */
    start: () => retry(server.start, () => true, startPolicy),
    /** Stops the server immediately, as an operator would: its connections are closed. */
    stop: server.stop,
    /**
     * Ends the server and resolves once it has exited: by a crash of all its processes (SIGKILL), without a checkpoint
     * (SIGQUIT), or as `stop` does (SIGINT).
     */
    async kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
      const postmaster = Number.parseInt(readFileSync(join(server.dataFolder, 'postmaster.pid'), 'utf8'), 10);
      if (signal === 'SIGKILL') {
        // While stopped, it starts no more children.
        process.kill(postmaster, 'SIGSTOP');
        for (const child of childrenOf(postmaster)) process.kill(child, signal);
      }
      process.kill(postmaster, signal);
      await until(() => !isRunning(postmaster), 5);
    },
    /** Stops it for good and removes its data. */
    async remove(): Promise<void> {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
