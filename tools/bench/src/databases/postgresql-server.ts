import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresqlServer } from '@plant-store/postgresql-server';

/**
 * A separate program: runs PostgreSQL with its data in a new folder, given on its command line, and sends the URL to its
 * parent process. On SIGTERM, and when the parent has ended for whatever reason, it stops the server, removes the folder
 * and exits.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: FOLDER');

const stopTimeoutMs = 5_000;

let stopServer = async (): Promise<void> => undefined;
const started = start(folder);
process.on('SIGTERM', end).on('disconnect', end);
process.on('exit', () => removeFolder(folder));
process.send?.({ url: await started });

async function start(folder: string): Promise<string> {
  // All settings that affect speed and durability are the server's defaults.
  const server = await createPostgresqlServer({ folder, onOutput: (text) => process.stderr.write(text) });
  stopServer = () => server.stop();
  await server.start();
  return server.url;
}

async function end(): Promise<void> {
  await started.catch(() => undefined);
  // A server that cannot be stopped would never resolve.
  await Promise.race([stopServer(), delay(stopTimeoutMs)]);
  process.exit();
}

/** Removes the folder. The processes of a killed server may still change files in it for a moment. */
function removeFolder(folder: string): void {
  const deadline = performance.now() + stopTimeoutMs;
  do rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  while (existsSync(folder) && performance.now() < deadline);
}
