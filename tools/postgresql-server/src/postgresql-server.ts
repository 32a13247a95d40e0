import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './find-free-port.js';
import { findPrograms, makeRunnable } from './find-programs.js';
import { findServerUser } from './server-user.js';

const run = promisify(execFile);

const superuser = 'postgres';

/** The password of the superuser. It is not a secret. */
const password = 'password';

interface Options {
  /** A folder for the server's data, which does not exist yet. If the server runs as another user, its parent is made accessible. */
  readonly folder: string;
  /** Server settings that differ from the defaults, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Creates a new PostgreSQL server on a free port of 127.0.0.1, in UTF-8. Does not start it. The server ends with this process at
 * the latest.
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
  // The user might have no access to this process's working directory.
  const options = { cwd: folder, ...user };
  const authentication = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=password'];
  // With the default iterations, verifying the password would take most of the time of a connection.
  const speed = ['--set=scram_iterations=1', ...(settings['fsync'] === 'off' ? ['--no-sync'] : [])];
  const encoding = ['--encoding=UTF8', '--locale=C'];
  await run(programs.initdb, [`--pgdata=${dataFolder}`, ...encoding, ...authentication, ...speed], options);

  const port = await findFreePort();
  const allSettings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const flags = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const stopWithProcess = () => void server?.kill('SIGQUIT');

  return {
    /** The URL of the server, with the superuser and without a database. */
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}`,
    /** The server's data folder. `postmaster.pid` in it begins with the ID of the server's first process. */
    dataFolder,
    /**
     * Starts the server. Resolves once it accepts connections.
     *
     * @throws {Error} with the server's output if the server exits before that
     */
    async start(): Promise<void> {
      // A killed server might not have ended yet, and its lock file would prevent a start.
      if (server !== undefined && !hasEnded(server)) await once(server, 'exit');
      const child = spawn(programs.postgres, ['-D', dataFolder, '-p', String(port), ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
        // Ctrl+C in a terminal must not signal the server. This process stops it.
        detached: true,
      });
      server = child;
      // Runs before any listener that removes the folder.
      process.prependListener('exit', stopWithProcess);
      child.once('exit', () => process.off('exit', stopWithProcess));
      await waitUntilReady(child);
    },
    /** Stops the server, if it is running, and closes its connections. Resolves once it has exited. */
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

/** How much of the server's output is kept for an error. */
const maxOutputLength = 100_000;

/** Resolves once a server prints that it accepts connections. */
function waitUntilReady(child: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutputLength) output += text;
      if (output.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
}
