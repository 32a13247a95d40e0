import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { findPendingMigrations, readMigrations } from '../store/migrations.js';
import { explainFailure } from '../store/sqlite/errors.js';
import { readLedger } from '../store/sqlite/migrate-sqlite.js';
import { tryInsert } from '../store/sqlite/probe-commit.js';
import { retryWhileBusy } from '../store/sqlite/run-query.js';
import { toTime } from '../store/token-store.js';
import { assessTokens, describePending, selectTokens, type TokenContext } from './access-tokens.js';
import { failure, type Item, ok, type Result, warning } from './finding.js';

interface Content extends TokenContext {
  readonly connection: SqlDriverAdapter;
  readonly path: string;
}

/** How long a write waits for another process that has locked the file, in milliseconds, as in the service. */
const busyTimeoutMs = 1_000;

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
  async inspect({ connection }) {
    return describePending(await findPending(connection));
  },
};

const write: Item<Content> = {
  name: 'write',
  async inspect({ connection, path }) {
    if (await lacksTables(connection)) return [];
    try {
      await retryWhileBusy(() => tryInsert(connection), busyTimeoutMs);
      return ok('a plant can be inserted; it was rolled back');
    } catch (error) {
      return failure(explainFailure(error, path));
    }
  },
};

const accessTokens: Item<Content> = {
  name: 'access tokens',
  async inspect({ connection, ...context }): Promise<Result | readonly Result[]> {
    if (await lacksTables(connection)) return [];
    const rows = await query(connection, selectTokens);
    const tokens = rows.map(([id, name, expiresAt]) => ({
      id: Number(id),
      name: String(name),
      expiresAt: expiresAt === null ? null : toTime(expiresAt),
    }));
    return assessTokens(tokens, context);
  },
};

/** What is examined in a database that can be opened. A write that fails may leave a transaction open, so it is last. */
export const contentItems: readonly Item<Content>[] = [journalMode, migrations, accessTokens, write];

/** The names of the pending migrations. */
async function findPending(connection: SqlDriverAdapter): Promise<readonly string[]> {
  const ledger = (await readLedger(connection)) ?? [];
  return findPendingMigrations(readMigrations('sqlite'), ledger).map(({ name }) => name);
}

/** Whether migrations, which the item of that name reports, are to create or change the tables first. */
async function lacksTables(connection: SqlDriverAdapter): Promise<boolean> {
  return findPending(connection).then(
    (pending) => pending.length > 0,
    () => true,
  );
}

async function query(connection: SqlDriverAdapter, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.queryRaw({ sql, args: [], argTypes: [] })).rows;
}
