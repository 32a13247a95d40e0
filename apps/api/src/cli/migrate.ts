import type { Config } from '../config.js';
import { openDatabase } from '../database/open-database.js';
import type { CliContext } from './support/cli-context.js';

/** Creates the database as needed, applies pending migrations, and prints their names. */
export async function migrate(config: Config, context: CliContext): Promise<void> {
  const database = await openDatabase(config.database);
  await database.close();
  for (const name of database.appliedMigrations) context.print(`${name}\n`);
  if (database.appliedMigrations.length === 0) context.message('The database is up to date.');
}
