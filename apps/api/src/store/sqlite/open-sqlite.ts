import { dirname } from 'node:path';
import { INT64_MIN } from '@plant-store/contract';
import type Sqlite from 'better-sqlite3';
import type { TokenUse } from '../../auth/token-service.js';
import { OperatorError } from '../../errors/operator-error.js';
import { addDiskGauges, addGauge, measureCheckpoints } from '../../observe/metrics.js';
import { createAuditStore, type RunSteps, type Statement, type Steps } from '../audit-store.js';
import { type Database, databaseUnavailable, type OpenOptions, stderrLog } from '../database.js';
import { readMigrations } from '../migrations.js';
import { allTables, insertTrialSql, type Table } from '../table.js';
import { createPrismaAccessTokenStore, insertWithinLimitSql, toStoredTime } from '../token-store.js';
import { createCheckpointer } from './checkpointer.js';
import { durablePragmas, lockTimeoutMs, mapFile, openConnection, withConnection } from './connections.js';
import {
  createDatabaseFile,
  readLastBackupSeconds,
  requireDatabaseFile,
  syncToDisk,
} from './database-files.js';
import { explainFailure, isRowRejected } from './errors.js';
import { identifyFiles } from './file-identity.js';
import { createListThread } from './list-thread.js';
import { migrateSqlite } from './migrate-sqlite.js';
import { createSqliteStores } from './sqlite-store.js';
import { createTransact, guardFiles, retryWhileBusy } from './transact.js';

/** How long to wait at the start while another process has locked the file, in milliseconds. */
const startTimeoutMs = 60_000;

/**
 * How long a check waits while the file is locked, in milliseconds. `/readyz` waits longer for the check, so that it can show the reason.
 */
const checkTimeoutMs = 1_500;

/**
 * Opens a SQLite file and applies pending migrations. Creates the file as needed, unless it must exist.
 *
 * @throws {OperatorError} if the file is missing, or cannot be opened, read, or written
 */
export async function openSqlite(
  path: string,
  { log = stderrLog, mustExist = false, tables = allTables, historyDays, metrics }: OpenOptions = {},
): Promise<Database> {
  try {
    if (mustExist) requireDatabaseFile(path);
    else createDatabaseFile(path);
    const appliedMigrations = await migrate(path);
    const { connection, files } = await connect(path, tables);
    const guard = guardFiles(files, log, () => void connection.exec('PRAGMA wal_checkpoint'));
    const transact = createTransact(guard, log);
    /** Syncs the log before data that was read is acknowledged. */
    const syncLog = () => {
      try {
        syncToDisk(files.log.path);
      } catch (error) {
        throw databaseUnavailable(error);
      }
    };
    const runStatement = ({ sql, values }: Statement) => {
      const statement = connection.prepare<unknown[], unknown[]>(sql);
      const stored = values.map((value) => (value instanceof Date ? toStoredTime(value) : value));
      if (statement.reader) return statement.raw().all(stored);
      statement.run(stored);
      return [];
    };
    /** `immediate` makes SQLite lock the file before the first statement. */
    const runSteps: RunSteps = (createSteps) =>
      transact(() => connection.transaction(() => runToEnd(createSteps(), runStatement)).immediate());
    const accessTokens = createPrismaAccessTokenStore({
      query: async (statement) => runStatement(statement),
      runSteps,
      insertWithinLimit,
      forShare: '',
      recordUses: (uses) => recordUses(() => openConnection(path, '', guard.check), uses),
      async loadClient() {
        const [{ PrismaClient }, { PrismaBetterSqlite3 }] = await Promise.all([
          import('./generated/client.js'),
          import('@prisma/adapter-better-sqlite3'),
        ]);
        guard.check();
        // The connection of this client only reads.
        const options = { url: `file:${path}`, fileMustExist: true, timeout: lockTimeoutMs };
        return new PrismaClient({ adapter: new PrismaBetterSqlite3(options) });
      },
      confirmRead: async () => syncLog(),
      runQuery: transact,
    });
    const lists = createListThread(files, tables);
    /** Moves the rest of the log into the database, as far as other connections permit, and returns whether that was everything. */
    const moveRest = () =>
      transact(() => {
        const [{ busy, log, checkpointed }] = connection.pragma('wal_checkpoint') as [Record<string, number>];
        return busy === 0 && log === checkpointed;
        // The thread runs into the same errors, and reports them.
      }).catch(() => false);
    const onCheckpoint = metrics && measureCheckpoints(metrics);
    const checkpointer = createCheckpointer(files, { log, moveRest, onCheckpoint });
    if (metrics !== undefined) {
      addDiskGauges(metrics, path);
      addGauge(metrics, {
        name: 'plant_store_sqlite_checkpoint_overdue_seconds',
        help: 'How long part of the SQLite write-ahead log has been waiting to be checkpointed into the database; 0 if nothing is waiting',
        aggregator: 'max',
        read: () => checkpointer.overdueMs() / 1_000,
      });
      addGauge(metrics, {
        name: 'plant_store_last_backup_timestamp_seconds',
        help: 'When the last good backup of the SQLite database was made, in seconds since 1970; 0 for never',
        aggregator: 'max',
        read: () => readLastBackupSeconds(path),
      });
    }
    const { stores, write } = createSqliteStores({
      connection,
      tables,
      historyDays,
      transact,
      syncLog,
      readerOf: lists.reader,
      checkpointer,
    });
    return {
      stores: stores as unknown as Database['stores'],
      write,
      writesTogether: true,
      accessTokens,
      audit: createAuditStore((statement) => transact(() => runStatement(statement)), runSteps),
      appliedMigrations,
      async check() {
        guard.check();
        // Locks the file for a moment, which shows that it exists, is writable, and is not locked.
        await transact(() => void connection.exec('BEGIN IMMEDIATE; ROLLBACK'), checkTimeoutMs);
      },
      async probeCommit() {
        guard.check();
        await transact(() => probeCommit(() => openConnection(path, durablePragmas, guard.check), tables));
      },
      invalidateCursors: () =>
        transact(
          () =>
            void connection.exec(
              'UPDATE store SET generation = lower(hex(randomblob(4))), accepts_old_cursors = 0',
            ),
        ),
      // The thread reads a list while the reply to the previous one is composed.
      concurrentLists: 2,
      // SQLite has one writer.
      concurrentCommits: 1,
      warnings() {
        const failure = checkpointer.failure();
        if (failure === undefined) return [];
        return [
          `The write-ahead log keeps growing because checkpoints are failing: ${failure}. The service retries automatically.`,
        ];
      },
      async close() {
        await checkpointer.stop();
        await lists.close();
        await accessTokens.close();
        // Closed last, because the last connection copies the log into the database.
        connection.close();
      },
    };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(explainFailure(error, path), { cause: error });
  }
}

/**
 * Inserts records and rolls back, then writes to the file and commits. Each uses a separate connection, so that no other statement can
 * become part of a transaction that fails halfway.
 */
async function probeCommit(open: () => Sqlite.Database, tables: readonly Table[]): Promise<void> {
  await withConnection(open, (connection) => tryInsert(connection, tables));
  await withConnection(open, (connection) => {
    const version = connection.pragma('user_version', { simple: true });
    // Setting the version writes to the file, even if the value does not change.
    connection.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT`);
  });
}

/**
 * Inserts a record into each table and rolls back. If this fails, the caller closes the connection. A test record that an operator's
 * constraint or trigger rejects is no failure, because the database has responded.
 */
function tryInsert(connection: Sqlite.Database, tables: readonly Table[]): void {
  try {
    const inserts = tables.map((table) => insertTrialSql(table, [INT64_MIN]));
    connection.exec(`BEGIN IMMEDIATE; ${inserts.join('; ')}; ROLLBACK`);
  } catch (error) {
    if (!isRowRejected(error)) throw error;
  }
}

/** Migrates the file. Processes that concurrently start with the same file wait for each other. */
function migrate(path: string): Promise<readonly string[]> {
  // Without durable settings, because the file must not be changed before it is known to be a plant store.
  const open = () => openConnection(path);
  return retryWhileBusy(
    () => withConnection(open, (connection) => migrateSqlite(connection, readMigrations('sqlite'))),
    startTimeoutMs,
  );
}

/**
 * Opens the connection for records, maps its file, and syncs the existing log. Retries while the file is locked: a process that is closing
 * the file holds a lock while it copies the write-ahead log.
 */
function connect(path: string, tables: readonly Table[]) {
  return retryWhileBusy(async () => {
    const connection = openConnection(path, durablePragmas);
    try {
      mapFile(connection, tables);
      // After the first read all files exist, and remain while the connection is open.
      const files = identifyFiles(path);
      // A log left by a killed process, or its directory entry, may not be on disk yet.
      syncToDisk(files.log.path);
      syncToDisk(dirname(path));
      return { connection, files };
    } catch (error) {
      connection.close();
      throw error;
    }
  }, startTimeoutMs);
}

/**
 * The settings of the connection for `recordUses`. In WAL mode, `NORMAL` does not sync at a commit; the next commit of a record syncs it.
 * By default, SQLite would also copy a long log into the database here, which would block creates.
 */
const asynchronousPragmas = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0';

/** Runs steps to their end synchronously, so that nothing else runs on the connection in between. */
function runToEnd<Result>(steps: Steps<Result>, run: (statement: Statement) => readonly unknown[][]): Result {
  let step = steps.next();
  while (!step.done) step = steps.next(run(step.value));
  return step.value;
}

const insertWithinLimit = insertWithinLimitSql(Array.from({ length: 8 }, () => '?'));

const updateLastUses = `
  UPDATE access_tokens SET last_used_at = use.at
  FROM (SELECT value ->> 'id' AS id, value ->> 'at' AS at FROM json_each(?)) AS use
  WHERE access_tokens.id = use.id AND (last_used_at IS NULL OR last_used_at < use.at)`;

/**
 * Stores when tokens were used, in one commit that does not wait for the disk. It uses a separate connection, because it must not become
 * part of another transaction or change the settings of the connection for records.
 *
 * @param open opens a connection that does not change the settings of the file
 */
export async function recordUses(open: () => Sqlite.Database, uses: readonly TokenUse[]): Promise<void> {
  await withConnection(open, (connection) => {
    connection.exec(asynchronousPragmas);
    const stored = uses.map(({ id, at }) => ({ id, at: toStoredTime(at) }));
    connection.prepare(updateLastUses).run(JSON.stringify(stored));
  });
}
