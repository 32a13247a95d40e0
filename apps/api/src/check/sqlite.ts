import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { SqliteLocation } from '../store/database-location.js';
import { findPendingMigrations, readMigrations } from '../store/migrations.js';
import { createFactory } from '../store/sqlite/connections.js';
import { explainFailure, retryWhileBusy } from '../store/sqlite/errors.js';
import { readLedger } from '../store/sqlite/migrate-sqlite.js';
import { tryInsert } from '../store/sqlite/probe-commit.js';
import { toTime } from '../store/token-store.js';
import { type Finding, failure, type Item, inspectAll, ok, warning } from './finding.js';
import { fileItems } from './sqlite-files.js';
import { assessTokens, describePending, selectTokens, type TokenContext } from './tables.js';

/**
 * Examines a SQLite database and the place where it is or will be. It opens the file as the service does, so that SQLite
 * may move a write-ahead log that a crash has left into it. It yields each finding as it is made.
 */
export async function* inspectSqlite(
  { path }: SqliteLocation,
  tokens: TokenContext,
): AsyncGenerator<Finding> {
  yield* inspectContent(path, tokens);
  yield* inspectAll(fileItems, { path, folder: findFolder(dirname(path)) });
}

function findFolder(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findFolder(parent);
}

interface Content extends TokenContext {
  readonly connection: SqlDriverAdapter;
  readonly path: string;
}

async function* inspectContent(path: string, tokens: TokenContext): AsyncGenerator<Finding> {
  let connection: SqlDriverAdapter | undefined;
  try {
    // SQLite would create a file that is missing, and an empty one has no tables yet.
    if (!statSync(path, { throwIfNoEntry: false })?.size) return yield missing(path);
    connection = await open(path);
    yield { item: 'database', ...ok(`SQLite file ${path}`) };
    const hasTables = await findPending(connection).then(
      (pending) => pending.length === 0,
      // The item of the migrations reports why.
      () => false,
    );
    const items = [journalMode, migrations, ...(hasTables ? [accessTokens, write] : [])];
    yield* inspectAll(items, { connection, path, ...tokens });
  } catch (error) {
    yield { item: 'database', ...failure(explainFailure(error, path)) };
  } finally {
    await connection?.dispose();
  }
}

function missing(path: string): Finding {
  const found = `there is no ${path} yet`;
  const advice = 'serve and migrate create it. If it should exist, set DATABASE_URL to where it is.';
  return { item: 'database', ...warning(found, advice) };
}

/** How long to wait for another process that has locked the file, in milliseconds, as in the service. */
const busyTimeoutMs = 1_000;

/** Opens the file, and reads from it, which finds one that is locked, damaged or no database. */
function open(path: string): Promise<SqlDriverAdapter> {
  return retryWhileBusy(async () => {
    const connection = await createFactory(path).connect();
    try {
      await connection.executeScript('SELECT name FROM sqlite_schema LIMIT 1');
      return connection;
    } catch (error) {
      await connection.dispose();
      throw error;
    }
  }, busyTimeoutMs);
}

async function query(connection: SqlDriverAdapter, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.queryRaw({ sql, args: [], argTypes: [] })).rows;
}

/** The names of the pending migrations. */
async function findPending(connection: SqlDriverAdapter): Promise<readonly string[]> {
  const ledger = (await readLedger(connection)) ?? [];
  return findPendingMigrations(readMigrations('sqlite'), ledger).map(({ name }) => name);
}

const journalMode: Item<Content> = {
  name: 'journal mode',
  async inspect({ connection }) {
    const [[mode] = []] = await query(connection, 'PRAGMA journal_mode');
    if (mode === 'wal') return ok('wal');
    return warning(
      `${String(mode)} instead of wal, since another program has changed it`,
      'serve sets it as it starts; let no other program change it while it runs.',
    );
  },
};

const migrations: Item<Content> = {
  name: 'migrations',
  inspect: async ({ connection }) => describePending(await findPending(connection)),
};

const accessTokens: Item<Content> = {
  name: 'access tokens',
  async inspect({ connection, ...context }) {
    const rows = await query(connection, selectTokens);
    const tokens = rows.map(([id, name, expiresAt]) => ({
      id: Number(id),
      name: String(name),
      expiresAt: expiresAt === null ? null : toTime(expiresAt),
    }));
    return assessTokens(tokens, context);
  },
};

/** One that fails may leave a transaction open, so it is last. */
const write: Item<Content> = {
  name: 'write',
  async inspect({ connection, path }) {
    try {
      await retryWhileBusy(() => tryInsert(connection), busyTimeoutMs);
      return ok('a plant can be inserted; it was rolled back');
    } catch (error) {
      return failure(explainFailure(error, path));
    }
  },
};
