import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresqlServer } from '@plant-store/postgresql-server';

/**
 * A program of its own: runs PostgreSQL with its data in the new folder that its command line names, and sends its URL
 * to the process that started it. On SIGTERM, and when that process is gone, however it ended, it stops the server,
 * removes the folder and ends.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Call it with: FOLDER');

const stopTimeoutMs = 5_000;

let stopServer = async (): Promise<void> => undefined;
const started = start(folder);
process.on('SIGTERM', end).on('disconnect', end);
process.on('exit', () => removeFolder(folder));
process.send?.({ url: await started });

async function start(folder: string): Promise<string> {
  // Only where it is found; everything that bears on speed and durability is the server's default.
  const server = await createPostgresqlServer({ folder, onOutput: (text) => process.stderr.write(text) });
  stopServer = () => server.stop();
  await server.start();
  return server.url;
}

async function end(): Promise<void> {
  await started.catch(() => undefined);
  // A server that cannot be stopped would be waited for in vain.
  await Promise.race([stopServer(), delay(stopTimeoutMs)]);
  process.exit();
}

/** Removes the folder. Processes of a server that was killed may still write to it or remove files from it for a moment. */
function removeFolder(folder: string): void {
  const deadline = performance.now() + stopTimeoutMs;
  do rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  while (existsSync(folder) && performance.now() < deadline);
}
