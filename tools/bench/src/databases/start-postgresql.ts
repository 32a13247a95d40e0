import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { processEnd } from '../processes/start-process.js';
import type { Database, DatabaseEngine } from './database.js';

const program = fileURLToPath(new URL('../../dist/databases/postgresql-server.js', import.meta.url));

const stopTimeoutMs = 15_000;
const pollMs = 20;

/** A PostgreSQL server that runs until it is stopped. */
export interface PostgresqlServer extends DatabaseEngine {
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a new PostgreSQL server with its defaults and its data in a folder. However this process ends, the server is
 * stopped and its data removed.
 */
export async function startPostgresql(folder: string): Promise<PostgresqlServer> {
  const serverFolder = join(folder, 'postgresql');
  const logPath = join(folder, 'postgresql.log');
  const log = openSync(logPath, 'w');
  const child = fork(program, [serverFolder], {
    env: { TMPDIR: serverFolder },
    stdio: ['ignore', log, log, 'ipc'],
    // So that Ctrl-C in a terminal ends this process first, which then stops the server cleanly.
    detached: true,
  });
  closeSync(log);
  const endNow = () => endAndWait(child, serverFolder);
  // Before any listener that removes the parent folder.
  process.prependListener('exit', endNow);
  const stop = async () => {
    child.kill('SIGTERM');
    await processEnd(child, stopTimeoutMs);
    process.removeListener('exit', endNow);
  };
  const serverUrl = await readUrl(child, logPath);
  const [row] = await query<{ server_version: string }>(`${serverUrl}/postgres`, 'SHOW server_version');
  return {
    title: `PostgreSQL ${row?.server_version}`,
    createDatabase: () => createTargetDatabase(serverUrl),
    stop,
  };
}

/** Waits for the URL of the server, which names no database. */
async function readUrl(child: ChildProcess, logPath: string): Promise<string> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return (message as { url: string }).url;
  } catch (cause) {
    throw new Error(`PostgreSQL did not start:\n${readFileSync(logPath, 'utf8')}`, { cause });
  }
}

/** Stops the server synchronously, for when this process exits. Removing the folder is the last thing that the server does. */
function endAndWait(child: ChildProcess, folder: string): void {
  child.kill('SIGTERM');
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const deadline = performance.now() + stopTimeoutMs;
  while (existsSync(folder) && performance.now() < deadline) Atomics.wait(sleeper, 0, 0, pollMs);
}

async function createTargetDatabase(serverUrl: string): Promise<Database> {
  const url = await createDatabase(serverUrl);
  const name = new URL(url).pathname.slice(1);
  return {
    url,
    async countPlants() {
      const [row] = await query<{ count: string }>(url, 'SELECT count(*) FROM plants');
      return Number(row?.count);
    },
    // It also makes a checkpoint, so that nothing of this run is left to write during the next one.
    remove: () => query(`${serverUrl}/postgres`, `DROP DATABASE ${name}`).then(() => undefined),
  };
}
