import type { Config } from '../config.js';
import { distributeDatabase, requireDistributable } from '../database/distribute-database.js';
import { openDatabase } from '../database/open-database.js';
import { countOf } from './output/count-of.js';
import type { CliContext } from './support/cli-context.js';

export interface MigrateOptions {
  /** Whether to distribute the plants over a Citus cluster, and over how many shards if not the default number. */
  readonly distribute?: number | true;
}

/**
 * Creates the database as needed, applies pending migrations, and prints their names. Only with the option, it distributes
 * the plants, too.
 */
export async function migrate(
  config: Config,
  { distribute }: MigrateOptions,
  context: CliContext,
): Promise<void> {
  const distributable = distribute === undefined ? undefined : await requireDistributable(config.database);
  const database = await openDatabase(config.database);
  await database.close();
  for (const name of database.appliedMigrations) context.print(`${name}\n`);
  if (database.appliedMigrations.length === 0) context.message('The database is up to date.');
  if (distributable === undefined) return;

  const { shards, nodes, moved } = await distributeDatabase(
    distributable,
    distribute === true ? undefined : distribute,
  );
  const extent = `${countOf(shards, 'shard')} over ${countOf(nodes, 'node')}`;
  if (moved === undefined) return context.message(`The plants are distributed already: ${extent}.`);
  const plants = `${moved} ${moved === 1n ? 'plant' : 'plants'}`;
  await context.message(
    `The plants are now distributed: ${extent}, ${plants} moved. Running instances find the shards within 10 seconds.`,
  );
}
