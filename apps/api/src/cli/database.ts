import type { ServiceError } from '@plant-store/records';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { docsPath } from '../package-folder.js';
import { type RetryPolicy, retry } from '../runtime/timing.js';
import { type Database, isDatabaseUnavailable, type OpenOptions } from '../store/database.js';
import { openDatabase } from '../store/open-database.js';
import type { RecordStore } from '../store/store.js';
import { type CliContext, countOf, type JsonOption, toJsonLine } from './cli-context.js';
import { pluralsOf, type RecordType, recordTypes } from './formats.js';

export async function withDatabase<Result>(
  config: Pick<Config, 'database'> & Partial<Pick<Config, 'historyDays'>>,
  options: OpenOptions,
  action: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { historyDays } = config;
  const database = await openDatabase(config.database, { historyDays, ...options });
  try {
    return await action(database);
  } finally {
    await database.close();
  }
}

export function storeOf({ stores }: Pick<Database, 'stores'>, { resource }: RecordType): RecordStore {
  // Commands pass only records that the resource's schemas have read.
  const byName = stores as unknown as Readonly<Record<string, RecordStore>>;
  const store = byName[resource.name];
  if (store === undefined) throw new Error(`The database has no store of the resource ${resource.name}`);
  return store;
}

/** How long a command retries while the database does not respond. The timeout is longer than a database restart takes. */
const policy: RetryPolicy = { timeoutMs: 60_000, delayMs: 500 };

/**
 * Runs an idempotent action, and retries it while the database does not respond.
 *
 * @throws {OperatorError} if the database has not responded in all that time
 * @throws the signal's reason if the signal is aborted, and the database does not respond to the last attempt either
 * @throws any other error of the action
 */
export async function retryWhileUnavailable<Result>(
  action: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await retry(action, isDatabaseUnavailable, policy, signal);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    signal?.throwIfAborted();
    throw new OperatorError(
      `The database has not responded for ${policy.timeoutMs / 1_000} seconds. The last error was: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Converts the error `database_unavailable` or `database_damaged` to the error to report. */
export function explainDatabaseError(error: ServiceError): OperatorError {
  const reason = reasonOf(error);
  const message =
    error.errorName === 'database_damaged'
      ? `The database is damaged: ${reason}\nStop every service that uses it and restore a backup, as ${docsPath('docs/operate/restore.md')} describes.`
      : `The database is not responding: ${reason}\nTry again once it responds.`;
  return new OperatorError(message, { cause: error });
}

/** Returns the engine's error message, or the service's if there is none. */
export function reasonOf({ cause, message }: ServiceError): string {
  return cause instanceof Error ? cause.message : message;
}

/**
 * Creates the database if needed, applies pending migrations, and prints their names. With `distribute`, also distributes the records by ID
 * across the nodes of a Citus cluster. Distributing them again changes nothing.
 *
 * @param distribute the number of shards, or `true` for the default number
 * @throws {OperatorError} if the records cannot be distributed, with advice. They are then unchanged
 */
export async function migrate(
  config: Config,
  { distribute, json = false }: JsonOption & { readonly distribute?: number | true },
  context: CliContext,
): Promise<void> {
  const { database } = config;
  if (distribute !== undefined && database.engine !== 'postgresql')
    throw new OperatorError(
      `Only a PostgreSQL database with the Citus extension can be distributed, but DATABASE_URL points to a SQLite file. ${docsPath('docs/operate/postgresql.md')} describes how to move to PostgreSQL. Nothing was changed.`,
    );
  const applied = await withDatabase(config, {}, async ({ appliedMigrations }) => appliedMigrations);
  if (!json) context.print(applied.map((name) => `${name}\n`).join(''));
  if (applied.length === 0) context.message('The database is up to date.');
  if (distribute === undefined || database.engine !== 'postgresql') {
    if (json) context.print(toJsonLine({ applied }));
    return;
  }

  const { distributePostgresql } = await import('../store/postgresql/citus.js');
  const shardCount = distribute === true ? undefined : distribute;
  const { shards, nodes, moved } = await distributePostgresql(database, shardCount);
  if (json) context.print(toJsonLine({ applied, shards, nodes, moved: moved ?? 0 }));
  const extent = `${countOf(shards, 'shard')} across ${countOf(nodes, 'node')}`;
  if (moved === undefined)
    return context.message(`The ${pluralsOf(recordTypes)} are already distributed: ${extent}.`);
  await context.message(
    `The ${pluralsOf(recordTypes)} are now distributed: ${extent}, with ${countOf(moved, 'record')} moved. Restart running instances, because they look for the shards only at startup. If there are workers, send SIGHUP instead.`,
  );
}

/**
 * Applies pending migrations, and makes all change cursors expire, because after a restore they may not match the stored records. Programs
 * that follow changes then get `cursor_expired`, and read everything again. A service can be running.
 */
export function invalidateCursors({ database }: Pick<Config, 'database'>): Promise<void> {
  return withDatabase({ database }, { mustExist: true }, (opened) => opened.invalidateCursors());
}
