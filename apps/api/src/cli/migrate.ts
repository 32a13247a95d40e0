import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { DatabaseLocation, PostgresqlLocation } from '../store/database-location.js';
import { openDatabase } from '../store/open-database.js';
import { type CliContext, countOf } from './cli-context.js';

export interface MigrateOptions {
  /** Whether to distribute the plants over a Citus cluster, and over how many shards if not the default number. */
  readonly distribute?: number | true;
}

/**
 * Creates the database as needed, applies pending migrations, and prints their names. Only with the option, it distributes
 * the plants by their ids over the nodes of a Citus cluster, too, which changes nothing when it is run again.
 *
 * @throws {OperatorError} when they cannot be distributed, with what to do; they are then as before
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

  const { distributePostgresql } = await import('../store/postgresql/citus/distribute-plants.js');
  const shardCount = distribute === true ? undefined : distribute;
  const { shards, nodes, moved } = await distributePostgresql(distributable, shardCount);
  const extent = `${countOf(shards, 'shard')} over ${countOf(nodes, 'node')}`;
  if (moved === undefined) return context.message(`The plants are distributed already: ${extent}.`);
  await context.message(
    `The plants are now distributed: ${extent}, ${countOf(moved, 'plant')} moved. Restart running instances, which look for the shards at their start; with WORKERS a SIGHUP does.`,
  );
}

/**
 * Checks that plants could be distributed, before anything is created or migrated.
 *
 * @returns the location
 * @throws {OperatorError} on SQLite, and where the database is not the coordinator of a Citus cluster with nodes for shards,
 * or a node is away
 */
async function requireDistributable(location: DatabaseLocation): Promise<PostgresqlLocation> {
  if (location.engine !== 'postgresql')
    throw new OperatorError(
      'Only a PostgreSQL database with the extension Citus can be distributed, and DATABASE_URL names a SQLite file. docs/operate/postgresql.md describes how to move to PostgreSQL. Nothing was changed.',
    );
  const { requireCluster } = await import('../store/postgresql/citus/distribute-plants.js');
  await requireCluster(location);
  return location;
}
