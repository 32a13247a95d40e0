import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresqlServer } from '@plant-store/postgresql-server';

/**
 * Starts a PostgreSQL server that listens on an address, with its data in a new folder, and sends its URL to the parent process. Stops on
 * SIGTERM, and when the parent has ended. This is a separate program, so that it can run in a network namespace.
 */
const [folder, address] = process.argv.slice(2);
if (folder === undefined || address === undefined) throw new Error('Usage: FOLDER ADDRESS');

const server = await createPostgresqlServer({ folder, settings: { listen_addresses: address } });
appendFileSync(join(server.dataFolder, 'pg_hba.conf'), 'host all all 198.18.0.0/15 password\n');
await server.start();
process.on('disconnect', end).on('SIGTERM', end);
const url = new URL(server.url);
url.hostname = address;
process.send?.({ url: url.toString() });

async function end(): Promise<void> {
  await server.stop();
  process.exit();
}
