import Sqlite from 'better-sqlite3';
import { OperatorError } from '../../errors/operator-error.js';
import { findPendingMigrations, type Migration, readLedger, readMigrations } from '../migrations.js';
import { openConnection, withConnection } from './connections.js';
import { createLedgerSql, ledgerOfSqlite } from './migrate-sqlite.js';

export interface StoreDescription {
  /** The ID of the store. `undefined` if the migration that adds it is pending. */
  readonly storeId: string | undefined;
  /** The names of the pending migrations. */
  readonly pending: readonly string[];
  /** Objects that the migrations create, but that are missing or different. */
  readonly deviations: readonly string[];
  /** Objects that no migration creates, such as an operator's index or an attacker's trigger. */
  readonly additions: readonly string[];
}

/**
 * Describes a plant store of this version or an older one. The file is not trusted: only objects that its schema lists as tables are read,
 * and no function from its schema with effects outside of the database is run (https://www.sqlite.org/security.html).
 *
 * @throws {OperatorError} if it is empty, from another program or a newer version, or has no valid ID
 * @throws SQLite's error if the file cannot be read
 */
export function describeStore(path: string, pragmas = ''): Promise<StoreDescription> {
  const safe = 'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON';
  const open = () => openConnection(path, `${safe}; ${pragmas}`);
  return withConnection(open, async (connection) => {
    const schema = readSchema(connection);
    // The ledger is the table _prisma_migrations, which lists the applied migrations.
    const ledgerTable = schema.find(({ name }) => name === '_prisma_migrations');
    if (ledgerTable !== undefined && !isEqual(ledgerTable, ledgerEntry))
      throw new OperatorError('The database cannot be used: its table _prisma_migrations was changed.');
    const ledger = await readLedger(ledgerOfSqlite(connection));
    if (ledger === undefined) throw new OperatorError(`The database ${path} is empty.`);
    if (ledger.some(({ migrationName }) => !/^\w{1,200}$/.test(migrationName)))
      throw new OperatorError(
        'The database cannot be used: its table _prisma_migrations has an unknown migration.',
      );
    const migrations = readMigrations('sqlite');
    const pending = findPendingMigrations(migrations, ledger);
    const comparison = compare(
      schema,
      createSchema(migrations.filter((migration) => !pending.includes(migration))),
    );
    return {
      ...comparison,
      storeId: readStoreId(connection, schema),
      pending: pending.map(({ name }) => name),
    };
  });
}

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

function readSchema(connection: Sqlite.Database): readonly SchemaEntry[] {
  const sql = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
  return connection.prepare<[], unknown[]>(sql).raw().all().map(toEntry);
}

function toEntry([type, name, table, sql]: readonly unknown[]): SchemaEntry {
  // Prisma's own tools indent their statements differently.
  const normalized = String(sql ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1');
  return { type: String(type), name: String(name), table: String(table), sql: normalized.trim() };
}

/** Returns the schema that the ledger and these migrations create. */
function createSchema(migrations: readonly Pick<Migration, 'sql'>[]): readonly SchemaEntry[] {
  const reference = new Sqlite(':memory:');
  try {
    reference.exec(createLedgerSql);
    for (const { sql } of migrations) reference.exec(sql);
    return readSchema(reference);
  } finally {
    reference.close();
  }
}

const ledgerEntry = toEntry(['table', '_prisma_migrations', '_prisma_migrations', createLedgerSql]);

const isSameObject = (a: SchemaEntry, b: SchemaEntry) => a.type === b.type && a.name === b.name;
const isEqual = (a: SchemaEntry, b: SchemaEntry) =>
  isSameObject(a, b) && a.table === b.table && a.sql === b.sql;

/** Matches the tables that Litestream and ANALYZE create. */
const knownTable =
  /^CREATE TABLE (?:"?_litestream_\w+"?|sqlite_stat[134])\((?:id INTEGER PRIMARY KEY,seq INTEGER|id INTEGER|[a-z]+(?:,[a-z]+)*)\)$/;

function compare(
  found: readonly SchemaEntry[],
  expected: readonly SchemaEntry[],
): Pick<StoreDescription, 'deviations' | 'additions'> {
  const isKnownTable = ({ type, sql }: SchemaEntry) => type === 'table' && knownTable.test(sql);
  const isIndexOfTable = ({ type, sql }: SchemaEntry) => type === 'index' && sql === '';
  return {
    deviations: expected.filter((entry) => !found.some((other) => isEqual(entry, other))).map(nameEntry),
    additions: found
      .filter((entry) => !expected.some((other) => isSameObject(entry, other)))
      // Such an index belongs to a constraint of its table, and is compared or reported with the table.
      .filter((entry) => !isIndexOfTable(entry) && !isKnownTable(entry))
      .map(nameEntry),
  };
}

/** Returns a readable name of an entry. The stored name can contain anything. */
function nameEntry({ type, name, table }: SchemaEntry): string {
  const printed = [name, table].map((text) =>
    /^\w{1,60}$/.test(text) ? text : JSON.stringify(text.slice(0, 60)).replaceAll(/[^ -~]/g, '?'),
  );
  return type === 'table' || type === 'view'
    ? `${type} ${printed[0]}`
    : `${type} ${printed[0]} on ${printed[1]}`;
}

const storeIdPattern = /^[0-9a-f]{16}$/;

function readStoreId(connection: Sqlite.Database, schema: readonly SchemaEntry[]): string | undefined {
  if (!schema.some(({ type, name }) => type === 'table' && name === 'store')) return undefined;
  const [id, ...others] = connection.prepare('SELECT id FROM store LIMIT 2').pluck().all();
  // The ID becomes part of file names.
  if (others.length === 0 && typeof id === 'string' && storeIdPattern.test(id)) return id;
  throw new OperatorError(
    'The database cannot be used: its table store must have exactly one row, with an id of 16 hexadecimal digits.',
  );
}

/** Gives a migrated copy of a store a new ID. */
export function replaceStoreId(path: string, storeId: string): void {
  const connection = openConnection(path);
  connection.prepare('UPDATE store SET id = ?').run(storeId);
  connection.close();
}
