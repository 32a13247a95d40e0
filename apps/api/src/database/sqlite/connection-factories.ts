import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { durablePragmas } from './durable-pragmas.js';

/** How long SQLite itself waits for a lock, in milliseconds. It blocks this thread. */
const lockTimeoutMs = 5;

/**
 * Creates connections to a file that exists, which do not change its settings.
 *
 * @param checkFiles throws if the file at the path is not the one that is open already. It runs when the connection has opened
 * the database, and before the first statement opens the log beside it: with another database SQLite would begin the index of
 * that log anew, or delete the log.
 */
export function createFactory(path: string, checkFiles = () => {}): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({
    url: `file:${path}`,
    timeout: lockTimeoutMs,
    fileMustExist: true,
  });
  return prepareConnections(factory, async () => checkFiles());
}

/**
 * Creates connections with the service's settings: each commit is on disk before it returns.
 *
 * @param checkFiles as for `createFactory`
 */
export function createDurableFactory(path: string, checkFiles = () => {}): SqlDriverAdapterFactory {
  return prepareConnections(createFactory(path, checkFiles), (connection) =>
    connection.executeScript(durablePragmas),
  );
}

/** Runs an action on each connection first, and closes the connection if that fails. */
function prepareConnections(
  factory: SqlDriverAdapterFactory,
  prepare: (connection: SqlDriverAdapter) => Promise<void>,
): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      try {
        await prepare(connection);
      } catch (error) {
        await connection.dispose();
        throw error;
      }
      return connection;
    },
  };
}
