import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { requireDatabaseFile } from '../database/sqlite/require-database-file.js';
import { OperatorError } from '../operator-error.js';
import { abortOnStop } from './abort-on-stop.js';
import { createWholeFile } from './create-whole-file.js';
import type { Terminal } from './terminal.js';

/** Copies a SQLite database to a new file while services go on writing, and checks the copy. */
export async function backUp({ database }: Config, file: string, terminal: Terminal): Promise<void> {
  if (database.engine !== 'sqlite') {
    throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
  }
  requireDatabaseFile(database.path);
  const { copySqlite } = await import('../database/sqlite/copy-sqlite.js');
  const stop = abortOnStop(terminal);
  const path = resolve(terminal.folder, file);
  const plants = await createWholeFile(path, (temporaryPath) =>
    copySqlite(database.path, temporaryPath, stop),
  );
  await terminal.remark(
    `${plants} ${plants === 1 ? 'plant' : 'plants'} copied to ${path}, and the copy checked.`,
  );
}
