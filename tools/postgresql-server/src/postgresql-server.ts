import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './find-free-port.js';
import { findPrograms, makeRunnable } from './find-programs.js';
import { findServerUser } from './server-user.js';

const run = promisify(execFile);

/** The name and the password of the server's superuser. */
const superuser = 'postgres';
const password = 'password';

/** How to set up a server. */
interface Options {
  /** A folder that does not exist yet, for the server's data. Where the server needs it, the parent is made accessible. */
  readonly folder: string;
  /** Server settings that differ from the defaults, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Creates the data of a new PostgreSQL server on a free port of loopback, encoded in UTF-8, without starting it. The server exits
 * together with this process.
 *
 * @throws {Error} with the output of `initdb` if it fails
 */
export async function createPostgresqlServer({ folder, settings = {} }: Options) {
  const user = findServerUser();
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    const parent = dirname(folder);
    chmodSync(parent, statSync(parent).mode | 0o011);
    for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  const programs = makeRunnable(await findPrograms(), user, join(folder, 'server'));
  const dataFolder = join(folder, 'data');
  // The user may have no access to the working directory of this process.
  const options = { cwd: folder, ...user };
  const access = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=password'];
  // The password is not secret, and verifying it with the default iterations would take most of the time of a connection.
  const cheap = ['--set=scram_iterations=1', ...(settings['fsync'] === 'off' ? ['--no-sync'] : [])];
  const encoding = ['--encoding=UTF8', '--locale=C'];
  await run(programs.initdb, [`--pgdata=${dataFolder}`, ...encoding, ...access, ...cheap], options);

  const port = await findFreePort();
  const served = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const flags = Object.entries(served).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const endWithProcess = () => void server?.kill('SIGQUIT');

  return {
    /** The URI of the server, with its superuser and without a database. */
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}`,
    /** The folder of its data; `postmaster.pid` there begins with the id of its first process. */
    dataFolder,
    /**
     * Starts it and resolves once it accepts connections.
     *
     * @throws {Error} with the server's output if it exits before that
     */
    async start(): Promise<void> {
      // The lock file of a killed server is in the way until this process has noticed its end.
      if (server !== undefined && !hasEnded(server)) await once(server, 'exit');
      const child = spawn(programs.postgres, ['-D', dataFolder, '-p', String(port), ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
        // Otherwise Ctrl-C in a terminal would also signal the server, but this process stops it cleanly.
        detached: true,
      });
      server = child;
      // Before any listener that removes its folder.
      process.prependListener('exit', endWithProcess);
      child.once('exit', () => process.off('exit', endWithProcess));
      await waitUntilReady(child);
    },
    /** Stops it, closing its connections, and resolves once it has exited; does nothing if it is not running. */
    async stop(): Promise<void> {
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

/** Resolves once a server prints that it accepts connections. */
function waitUntilReady(child: ChildProcess): Promise<void> {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < 100_000) printed += text;
      if (printed.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${printed}`)));
  });
}
