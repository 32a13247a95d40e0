import type { Config } from '../config.js';
import { openDatabase } from '../database/open-database.js';
import type { Terminal } from './terminal.js';

/** Creates the database as needed, applies pending migrations, and prints their names. */
export async function migrate(config: Config, terminal: Terminal): Promise<void> {
  const database = await openDatabase(config.database);
  await database.close();
  for (const name of database.appliedMigrations) terminal.print(`${name}\n`);
  if (database.appliedMigrations.length === 0) terminal.remark('The database is up to date.');
}
