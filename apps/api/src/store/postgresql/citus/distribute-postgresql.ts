import pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { connectionSettings, endConnection } from '../connection.js';
import { findDriverError } from '../errors.js';
import { isLockTimeout, migrationTimeoutMs } from '../migrate-postgresql.js';
import { explainOpening } from '../open-postgresql.js';
import { checkNodes, countShardNodes } from './citus-catalog.js';
import { type Distribution, distributePlants } from './distribute-plants.js';

/**
 * Checks that the database is the coordinator of a Citus cluster with nodes for shards, all of them running.
 *
 * @throws {OperatorError} otherwise, or when it cannot be reached
 */
export async function requireCluster(location: PostgresqlLocation): Promise<void> {
  await withConnection(location, async (connection) => {
    await countShardNodes(connection);
    await checkNodes(connection);
  });
}

/** See `distributeDatabase`. */
export function distributePostgresql(
  location: PostgresqlLocation,
  shards: number | undefined,
): Promise<Distribution> {
  return withConnection(location, async (connection) => {
    try {
      return await distributePlants(connection, shards);
    } catch (error) {
      throw explain(error);
    }
  });
}

async function withConnection<Result>(
  location: PostgresqlLocation,
  action: (connection: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const connection = new pg.Client(connectionSettings(location, location.timeouts.startConnectMs));
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    return await action(connection);
  } catch (error) {
    throw explainOpening(error, location);
  } finally {
    await endConnection(connection);
  }
}

/** An error of the server has rolled everything back; after one of the connection, the outcome is not known. */
function explain(error: unknown): unknown {
  const serverError = findDriverError(error);
  if (serverError === undefined) return error;
  const { code, message } = serverError;
  if (code === undefined) {
    return new OperatorError(
      `The connection broke while the plants were being distributed: ${message}. They are distributed completely or not at all. Run the command again, which shows or completes it.`,
      { cause: error },
    );
  }
  const details = error instanceof pg.DatabaseError && error.detail ? ` ${error.detail}` : '';
  return new OperatorError(
    `The plants were not distributed: ${message} (${code}).${details} ${adviseOn(code, error)} They are stored and used as before.`,
    { cause: error },
  );
}

function adviseOn(code: string, error: unknown): string {
  if (isLockTimeout(error))
    return `Another program has locked the table for ${migrationTimeoutMs / 1_000} seconds, such as a transaction that was left open (see pg_stat_activity). Run the command again once it has ended.`;
  if (code === '42501')
    return 'Only the owner of the table plants may distribute it: run the command with the owner in DATABASE_URL.';
  if (code.startsWith('08'))
    return 'All nodes must run and accept the connections of the coordinator. Run the command again once they do.';
  return 'Once what it names is solved, run the command again.';
}
