import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { SqliteLocation } from '../store/database-location.js';
import { createFactory } from '../store/sqlite/connections.js';
import { explainFailure } from '../store/sqlite/errors.js';
import { retryWhileBusy } from '../store/sqlite/run-query.js';
import type { TokenContext } from './access-tokens.js';
import { type Finding, failure, type Item, inspectAll, ok, warning } from './finding.js';
import { contentItems } from './sqlite-content.js';
import type { SqliteFiles } from './sqlite-files.js';
import { diskSpace, fileAccess, fileSystem } from './sqlite-files.js';
import { syncTime } from './sync-time.js';

/** How long to wait for another process that has locked the file, in milliseconds. */
const busyTimeoutMs = 1_000;

const fileItems: readonly Item<SqliteFiles>[] = [fileAccess, fileSystem, diskSpace, syncTime];

/**
 * Examines a SQLite database and the place where it is or will be. It opens the file as the service does, so that SQLite
 * may move a write-ahead log that a crash has left into it. It yields each finding as it is made.
 */
export async function* inspectSqlite(
  { path }: SqliteLocation,
  tokens: TokenContext,
): AsyncGenerator<Finding> {
  const files = { path, folder: findFolder(dirname(path)) };
  yield* inspectContent(path, tokens);
  yield* inspectAll(fileItems, files);
}

function findFolder(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findFolder(parent);
}

async function* inspectContent(path: string, tokens: TokenContext): AsyncGenerator<Finding> {
  let connection: SqlDriverAdapter | undefined;
  try {
    // SQLite would create a file that is missing, and an empty one has no tables yet.
    if (!statSync(path, { throwIfNoEntry: false })?.size) return yield missing(path);
    connection = await open(path);
    yield { item: 'database', ...ok(`SQLite file ${path}`) };
    yield* inspectAll(contentItems, { connection, path, ...tokens });
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
