import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { requireDatabaseFile } from '../database/sqlite/files/require-database-file.js';
import { OperatorError } from '../errors/operator-error.js';
import { abortOnSignal } from './support/abort-on-signal.js';
import { writeAtomically } from './support/atomic-write.js';
import type { CliContext } from './support/cli-context.js';

/** Copies a SQLite database to a new file while services go on writing, and checks the copy. */
export async function backUp({ database }: Config, file: string, context: CliContext): Promise<void> {
  if (database.engine !== 'sqlite') {
    throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
  }
  requireDatabaseFile(database.path);
  const { copySqlite } = await import('../database/sqlite/files/copy-sqlite.js');
  const stop = abortOnSignal(context);
  const path = resolve(context.folder, file);
  const plants = await writeAtomically(path, (temporaryPath) =>
    copySqlite(database.path, temporaryPath, stop),
  );
  await context.remark(
    `${plants} ${plants === 1 ? 'plant' : 'plants'} copied to ${path}, and the copy checked.`,
  );
}
