import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../errors/operator-error.js';
import { packageFolder } from '../package-folder.js';
import type { DatabaseLocation } from './database-location.js';

/** A row of `_prisma_migrations`, the ledger in which Prisma Migrate records what it has applied. */
export interface LedgerRow {
  readonly migrationName: string;
  readonly checksum: string;
  readonly finished: boolean;
  readonly rolledBack: boolean;
}

/**
 * The migrations still to be applied.
 *
 * @throws {OperatorError} when the ledger has a migration that failed, that was edited after it had been applied, or
 * that this version does not have; the message says which, and what to do
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
  return migrations.filter(({ name }) => !applied.has(name));
}

function findProblem(row: LedgerRow, migration: Migration | undefined): string | undefined {
  if (!row.finished) {
    return `the migration ${row.migrationName} failed halfway. Restore a backup, or fix it with prisma migrate resolve.`;
  }
  if (migration === undefined) {
    return `it has the migration ${row.migrationName}, which this version does not have. Start the version that applied it.`;
  }
  if (migration.checksum !== row.checksum) {
    return `the migration ${row.migrationName} was edited after it had been applied. Restore the file as it was.`;
  }
  return undefined;
}

/** A migration in Prisma's layout: a folder with a `migration.sql`. */
export interface Migration {
  /** The name of its folder; migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** The SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
}

/** The migrations of this version for an engine, in order. */
export function readMigrations(engine: DatabaseLocation['engine']): readonly Migration[] {
  const folder = new URL(`prisma/${engine}/migrations/`, packageFolder);
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
    checksum: createHash('sha256').update(content).digest('hex'),
  };
}
