import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { writeAtomically } from './atomic-write.js';
import { abortOnSignal, type CliContext, countOf } from './cli-context.js';

/**
 * Copies a SQLite database to a new file while services use it, and checks the copy.
 *
 * @throws {OperatorError} when the engine has its own tool for that, there is no database, or it cannot be copied
 */
export async function backUp({ database }: Config, file: string, context: CliContext): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
  const { requireDatabaseFile } = await import('../store/sqlite/database-file.js');
  requireDatabaseFile(database.path);
  const signal = abortOnSignal(context);
  const path = resolve(context.folder, file);
  const { copySqlite } = await import('../store/sqlite/copy-sqlite.js');
  const count = await writeAtomically(path, (temporaryPath) =>
    copySqlite(database.path, temporaryPath, signal),
  );
  await context.message(`${countOf(count, 'plant')} copied to ${path}, and the copy checked.`);
}
