import { hash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../errors/operator-error.js';
import { packageFolder } from '../package-folder.js';
import type { DatabaseLocation } from './database-location.js';

/** Access to the ledger on an engine: the table `_prisma_migrations`, in which Prisma Migrate records the applied migrations. */
export interface Ledger {
  /** Runs statements that return nothing. */
  run(script: string): Promise<unknown>;
  query(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** A query for the names of all tables. */
  readonly tablesSql: string;
  /** The statement that creates the ledger as Prisma Migrate does. */
  readonly createSql: string;
  /** Formats a time as an SQL literal for the ledger. */
  timeSql(time: Date): string;
  /** The error message if there are tables but no ledger. */
  readonly foreignMessage: string;
}

export interface LedgerRow {
  readonly migrationName: string;
  readonly checksum: string;
  readonly finished: boolean;
  readonly rolledBack: boolean;
}

/**
 * Reads the rows of the ledger. Returns `undefined` if there are no tables.
 *
 * @throws {OperatorError} if the tables belong to another program
 */
export async function readLedger(ledger: Ledger): Promise<readonly LedgerRow[] | undefined> {
  const tables = await ledger.query(ledger.tablesSql);
  if (tables.length === 0) return undefined;
  if (!tables.some(([name]) => name === '_prisma_migrations')) throw new OperatorError(ledger.foreignMessage);
  const rows = await ledger.query(`
    SELECT migration_name, checksum, finished_at IS NOT NULL, rolled_back_at IS NOT NULL
    FROM _prisma_migrations ORDER BY started_at`);
  return rows.map(([migrationName, checksum, finished, rolledBack]) => ({
    migrationName: String(migrationName),
    checksum: String(checksum),
    finished: Boolean(finished),
    rolledBack: Boolean(rolledBack),
  }));
}

/** Finds pending migrations as `findPendingMigrations` does. If there are no tables, all are pending. */
export async function findPending(
  ledger: Ledger,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  return findPendingMigrations(migrations, (await readLedger(ledger)) ?? []);
}

/**
 * Applies the pending migrations, and records them so that `prisma migrate deploy` and `status` work, too. The caller must have begun a
 * transaction.
 */
export async function applyPending(
  ledger: Ledger,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const rows = await readLedger(ledger);
  if (rows === undefined) await ledger.run(ledger.createSql);
  const pending = findPendingMigrations(migrations, rows ?? []);
  for (const { name, sql, checksum } of pending) {
    const startedAt = ledger.timeSql(new Date());
    await ledger.run(sql);
    await ledger.run(`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
      VALUES ('${randomUUID()}', '${checksum}', '${name}', ${startedAt}, ${ledger.timeSql(new Date())}, 1)`);
  }
  return pending.map(({ name }) => name);
}

/**
 * Returns the migrations that are still to be applied. A rolled-back migration is applied again, no matter what was applied after it.
 *
 * @throws {OperatorError} if the ledger has a migration that failed, that was edited after it was applied, or that this version does not
 * have, or if a new migration is dated before an applied one; the message says which, and what to do
 */
export function findPendingMigrations(
  migrations: readonly Migration[],
  ledger: readonly LedgerRow[],
): readonly Migration[] {
  const applied = new Map(ledger.filter((row) => !row.rolledBack).map((row) => [row.migrationName, row]));
  for (const row of applied.values()) {
    const migration = migrations.find(({ name }) => name === row.migrationName);
    const problem = findProblem(row, migration);
    if (problem !== undefined) throw new OperatorError(`The database cannot be used: ${problem}`);
  }
  const last = [...applied.keys()].toSorted().at(-1) ?? '';
  const early = migrations.find(
    ({ name }) => name < last && !ledger.some(({ migrationName }) => migrationName === name),
  );
  if (early !== undefined)
    throw new OperatorError(
      `The migration ${early.name} is dated before ${last}, which this database already has. ` +
        'Existing and new databases would apply the two migrations in different orders. Rename the folder of the new migration to a later date.',
    );
  return migrations.filter(({ name }) => !applied.has(name));
}

function findProblem(row: LedgerRow, migration: Migration | undefined): string | undefined {
  if (!row.finished) {
    return `the migration ${row.migrationName} failed partway through. Restore a backup, or resolve the failed migration with prisma migrate resolve.`;
  }
  if (migration === undefined) {
    return `it has the migration ${row.migrationName}, which this version does not have. Start the version that applied it.`;
  }
  if (migration.checksum !== row.checksum) {
    return `the migration ${row.migrationName} was edited after it was applied. Restore the original file.`;
  }
  return undefined;
}

/** A migration in Prisma's layout: a folder with a `migration.sql`. */
export interface Migration {
  /** The name of the folder. Migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** The SHA-256 hash of the file, in hexadecimal. */
  readonly checksum: string;
}

/** Reads this version's migrations for an engine, in order. */
export function readMigrations(
  engine: DatabaseLocation['engine'],
  root: URL = packageFolder,
): readonly Migration[] {
  const folder = new URL(`prisma/${engine}/migrations/`, root);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readMigration(name, fileURLToPath(new URL(`${name}/migration.sql`, folder))))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readMigration(name: string, file: string): Migration {
  if (!existsSync(file)) throw new Error(`The migration ${name} has no file ${file}`);
  const content = readFileSync(file);
  return {
    name,
    sql: content.toString('utf8'),
    checksum: hash('sha256', content, 'hex'),
  };
}
