import { OperatorError } from '../errors/operator-error.js';
import type { DatabaseLocation, PostgresqlLocation } from './database-location.js';
import type { Distribution } from './postgresql/distribution/distribute-plants.js';

/**
 * Checks that plants could be distributed, before anything is created or migrated.
 *
 * @returns the location
 * @throws {OperatorError} on SQLite, and where the database is not the coordinator of a Citus cluster with nodes for shards,
 * or a node is away
 */
export async function requireDistributable(location: DatabaseLocation): Promise<PostgresqlLocation> {
  if (location.engine !== 'postgresql') {
    throw new OperatorError(
      'Only a PostgreSQL database with the extension Citus can be distributed, and DATABASE_URL names a SQLite file. docs/postgresql.md describes how to move to PostgreSQL. Nothing was changed.',
    );
  }
  const { requireCluster } = await import('./postgresql/distribution/distribute-postgresql.js');
  await requireCluster(location);
  return location;
}

/**
 * Distributes the plants of a migrated database by their ids over the nodes of a Citus cluster. Running it again changes
 * nothing.
 *
 * @param shards the number of shards, from 1 to 32,000; without it, `defaultShards`
 * @throws {OperatorError} when they cannot be distributed, with what to do; they are then as before
 */
export async function distributeDatabase(
  location: PostgresqlLocation,
  shards: number | undefined,
): Promise<Distribution> {
  const { distributePostgresql } = await import('./postgresql/distribution/distribute-postgresql.js');
  return distributePostgresql(location, shards);
}
