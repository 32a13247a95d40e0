import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { OperatorError } from '../../operator-error.js';
import type { Database } from '../database.js';
import { readMigrations } from '../migrations.js';
import { createDatabaseFile } from './create-database-file.js';
import { findDriverFault, isBusy } from './driver-fault.js';
import { PrismaClient } from './generated/client.js';
import { migrateSqlite } from './migrate-sqlite.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { createSqliteAccessTokenStore } from './sqlite-access-token-store.js';
import { createSqlitePlantStore } from './sqlite-plant-store.js';
import { type Checkpointer, startCheckpointer } from './start-checkpointer.js';

/** How long a migration waits for another process that holds the file. */
const migrationTimeoutMs = 60_000;

/** How long SQLite itself waits for another process that holds the file, which it does in this thread. */
const blockingMs = 5;

/**
 * Opens a SQLite file, creating it as needed, and applies pending migrations.
 *
 * @throws {OperatorError} when the file cannot be opened, read or written
 */
export async function openSqlite(path: string): Promise<Database> {
  try {
    createDatabaseFile(path);
    const appliedMigrations = await migrate(path);
    const prisma = new PrismaClient({ adapter: createDurableAdapter(path) });
    await prisma.$connect();
    const plants = createSqlitePlantStore(prisma);
    let checkpointer: Checkpointer | undefined;
    return {
      plants: {
        insert(newPlants) {
          // Only who stores plants needs it, and a start is sooner without it.
          checkpointer ??= startCheckpointer(path);
          return plants.insert(newPlants);
        },
      },
      accessTokens: createSqliteAccessTokenStore(prisma),
      appliedMigrations,
      async close() {
        await checkpointer?.stop();
        await prisma.$disconnect();
      },
    };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The database ${path} cannot be opened: ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  if (isBusy(error)) return 'another process holds it. Wait until that is done, or end it.';
  const reason = findDriverFault(error)?.message ?? (error instanceof Error ? error.message : String(error));
  return `${reason}\nLet DATABASE_URL name a SQLite file that this user may write, in a folder that this user may write.`;
}

/** Brings the file up to date. Processes that start together on one file wait for one another. */
function migrate(path: string): Promise<readonly string[]> {
  return retryWhileBusy(async () => {
    const connection = await createDurableAdapter(path).connect();
    try {
      return await migrateSqlite(connection, readMigrations('sqlite'));
    } finally {
      await connection.dispose();
    }
  }, migrationTimeoutMs);
}

/**
 * Every connection commits to disk before it answers: `synchronous = FULL` syncs the write-ahead log at each commit,
 * and `fullfsync` makes macOS sync the disk's own cache too (elsewhere it changes nothing). The log is moved into the
 * database by the checkpointer; the limit in pages only holds should that fail.
 */
const pragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA foreign_keys = ON;`;

export function createDurableAdapter(path: string): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({ url: `file:${path}`, timeout: blockingMs });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect(): Promise<SqlDriverAdapter> {
      const connection = await factory.connect();
      try {
        await connection.executeScript(pragmas);
      } catch (error) {
        await connection.dispose();
        throw error;
      }
      return connection;
    },
  };
}
