import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresqlServer } from '@plant-store/postgresql-server';
import pg from 'pg';

/** A real PostgreSQL server on a free port of loopback, with its data in a new folder. */
export interface PostgresqlServer {
  /** The URI of the server, without a database. */
  readonly url: string;
  /** Starts the server again after `stop` or `kill`, on the same port and data. */
  start(): Promise<void>;
  /** Stops the server as its operator would, at once: connections are cut. */
  stop(): Promise<void>;
  /**
   * Ends the server, and resolves once it is gone: by a crash of all its processes (SIGKILL), without a checkpoint
   * (SIGQUIT), or as `stop` does (SIGINT).
   */
  kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Stops it for good and removes its data. */
  remove(): Promise<void>;
}

/** How long a server may take to start after a crash, whose shared memory is in use for a moment, in milliseconds. */
const startTimeoutMs = 20_000;

/** Creates a server and starts it. Its output is shown only if it does not start. */
export async function startPostgresql(): Promise<PostgresqlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgresql-'));
  // As root the server runs as another user, who must get there.
  chmodSync(folder, 0o755);
  const server = await createPostgresqlServer({
    folder: join(folder, 'postgresql'),
    settings: { max_connections: '200' },
  });
  await server.start();
  return {
    url: server.url,
    start: () => retry(() => server.start(), startTimeoutMs),
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

/** Creates a database of its own for a test, and gives its URI. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(`${serverUrl}/postgres`, `CREATE DATABASE ${name}`);
  return `${serverUrl}/${name}`;
}

/** Runs one statement on a connection of its own. Integers of 64 bits come as text. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(sql, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}

async function retry(action: () => Promise<void>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Sends a signal to the first process of a server, SIGKILL to the others as well, and waits for the end of the first. */
async function end(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  if (signal === 'SIGKILL') {
    // Stopped, it starts no more of them.
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
