import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, createPostgresqlServer, query } from '@plant-store/postgresql-server';
import { killProcesses, readChildren } from '../service/process-tree.js';
import { type Columns, type Database, type DatabaseServer, toRow } from './database.js';

/** A PostgreSQL that can be killed and started again. */
export interface KillableServer extends DatabaseServer {
  /** The ids of its processes. */
  readPids(): readonly number[];
  /** Kills all its processes at once, as when the machine stops, and resolves once they have ended. */
  killAll(): Promise<void>;
  /** Starts it again, which recovers its data, and resolves once it accepts connections. */
  start(): Promise<void>;
}

/**
 * Starts a PostgreSQL with its data in a folder; it ends with this process at the latest.
 *
 * @param settings those that differ from its defaults
 */
export async function startPostgresqlServer(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<KillableServer> {
  const server = await createPostgresqlServer({ folder: join(folder, 'postgresql'), settings });
  let postmaster = 0;
  async function start() {
    await server.start();
    postmaster = Number(readFileSync(join(server.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
  await start();
  const readPids = () => [postmaster, ...readChildren(postmaster)];
  return {
    engine: 'postgresql',
    createDatabase: async () => openPostgresqlDatabase(await createDatabase(server.url)),
    stop: () => server.stop(),
    start,
    readPids,
    killAll: () => killProcesses(readPids()),
  };
}

/** The database of a URL. */
export function openPostgresqlDatabase(url: string): Database {
  return {
    engine: 'postgresql',
    url,
    readRows: (ids) => readRows(url, ids),
    findDamage: async () => [],
  };
}

async function readRows(url: string, ids?: readonly bigint[]) {
  const [condition, values] =
    ids === undefined ? ['', []] : [' WHERE id = ANY ($1::bigint[])', [ids.map(String)]];
  const rows = await query<Columns>(url, `SELECT * FROM plants${condition}`, values);
  return rows.map(toRow);
}
