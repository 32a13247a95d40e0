import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrograms, makeRunnable } from './find-programs.js';
import { findServerUser } from './server-user.js';

const run = promisify(execFile);

/** The name and the password of the server's superuser. */
const superuser = 'postgres';
const password = 'password';

/** A PostgreSQL server on a free port of loopback. */
export interface PostgresqlServer {
  /** The URI of the server with its superuser, without a database. */
  readonly url: string;
  /** Where its data is; `postmaster.pid` in it begins with the id of its first process. */
  readonly dataFolder: string;
  /**
   * Starts it and resolves once it takes connections.
   *
   * @throws {Error} with what the server printed when it ends before that
   */
  start(): Promise<void>;
  /** Stops it, cutting its connections, and resolves once it is gone; does nothing when it is gone already. */
  stop(): Promise<void>;
}

/** How a server is set up. */
export interface PostgresqlServerOptions {
  /** A folder that does not exist yet, for the server's data; its parents can be entered by everybody. */
  readonly folder: string;
  /** Settings of the server that differ from its defaults, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with what the server and `initdb` print. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Creates the data of a new PostgreSQL server, encoded in UTF-8, which is not running yet. When this process exits, so
 * does the server.
 *
 * @throws {Error} with what `initdb` printed when the data cannot be created
 */
export async function createPostgresqlServer({
  folder,
  settings = {},
  onOutput = () => undefined,
}: PostgresqlServerOptions): Promise<PostgresqlServer> {
  const user = findServerUser();
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const programs = makeRunnable(await findPrograms(), user, join(folder, 'server'));
  const dataFolder = join(folder, 'data');
  // The folder of this process may be one that the user cannot enter.
  const options = { cwd: folder, ...user };
  const access = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=password'];
  const created = await run(
    programs.initdb,
    [`--pgdata=${dataFolder}`, '--encoding=UTF8', '--locale=C', ...access],
    options,
  );
  onOutput(created.stdout);

  const port = await findFreePort();
  const served = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const flags = Object.entries(served).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const endWithProcess = () => void server?.kill('SIGQUIT');

  return {
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}`,
    dataFolder,
    async start() {
      const child = spawn(programs.postgres, ['-D', dataFolder, '-p', String(port), ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
        // So that a Ctrl-C in a terminal ends this process first, which then stops the server in order.
        detached: true,
      });
      server = child;
      process.on('exit', endWithProcess);
      child.once('exit', () => process.off('exit', endWithProcess));
      await ready(child, onOutput);
    },
    async stop() {
      if (server === undefined || hasEnded(server)) return;
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Resolves once a server prints that it takes connections. */
function ready(child: ChildProcess, onOutput: (text: string) => void): Promise<void> {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      onOutput(text);
      if (printed.length < 100_000) printed += text;
      if (printed.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${printed}`)));
  });
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
