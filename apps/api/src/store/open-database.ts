import { type Database, type DatabaseLog, type OpenOptions, stderrLog } from './database.js';
import type { DatabaseLocation } from './database-location.js';

/**
 * Opens the configured database, and migrates it as needed. Loads only the code for its engine.
 *
 * @throws {OperatorError} if the database cannot be opened, or is not a plant store of this version
 */
export async function openDatabase(location: DatabaseLocation, options: OpenOptions = {}): Promise<Database> {
  const database =
    location.engine === 'sqlite'
      ? await (await import('./sqlite/open-sqlite.js')).openSqlite(location.path, options)
      : await (await import('./postgresql/open-postgresql.js')).openPostgresql(location, options);
  reportLimitedTokens(database.appliedMigrations, options.log ?? stderrLog);
  return database;
}

/** Warns, after the migration that adds scopes, that existing tokens can only create records, as when they were issued. */
function reportLimitedTokens(applied: readonly string[], log: DatabaseLog): void {
  const isNew = applied.some((name) => name.endsWith('_and_access_tokens'));
  if (isNew || !applied.some((name) => name.endsWith('_add_scopes_to_access_tokens'))) return;
  log.warn(
    {},
    'access tokens from earlier versions may only create records; to replace one with a token that may also read, update and delete them: plant-store token rotate <id> --can create,read,update,delete',
  );
}
