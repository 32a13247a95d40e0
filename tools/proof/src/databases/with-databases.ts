import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseServer, Engine } from './database.js';
import { startPostgresqlServer } from './postgresql.js';
import { createSqliteServer } from './sqlite.js';

/** A folder for databases and logs, and a server of the engine. */
export interface DatabaseFolder {
  readonly folder: string;
  readonly server: DatabaseServer;
}

/** Runs a trial with a new folder and a server of an engine, and removes both afterwards, however the trial ends. */
export function withDatabases<T>(
  engine: Engine,
  trial: (databases: DatabaseFolder) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const server = engine === 'sqlite' ? createSqliteServer(folder) : await startPostgresqlServer(folder);
    try {
      return await trial({ folder, server });
    } finally {
      await server.stop();
    }
  });
}

/** Runs a trial with a new folder, and removes it afterwards, however the trial ends. */
export async function withFolder<T>(trial: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.on('exit', remove);
  try {
    return await trial(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
