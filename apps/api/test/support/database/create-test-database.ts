import type { Resource } from '@plant-store/contract/resource';
import { createSql } from '../../../scripts/create-sql.js';
import { type Config, parseConfig } from '../../../src/config.js';
import type { Database, OpenOptions } from '../../../src/store/database.js';
import type { PostgresqlTimeouts } from '../../../src/store/database-location.js';
import { openDatabase } from '../../../src/store/open-database.js';
import type { TestEngine } from './engines.js';
import { createCitusTestDatabase, createPostgresqlTestDatabase } from './postgresql-test-database.js';
import { createSqliteTestDatabase } from './sqlite-test-database.js';
import type { TestDatabase } from './test-database.js';

const creators: Readonly<Record<TestEngine, (added: readonly Resource[]) => Promise<TestDatabase>>> = {
  sqlite: createSqliteTestDatabase,
  postgresql: createPostgresqlTestDatabase,
  citus: createCitusTestDatabase,
};

/**
 * Creates an empty database on an engine.
 *
 * @param added additional resources. With these, the database is already migrated.
 */
export async function createTestDatabase(engine: TestEngine, added: readonly Resource[] = []) {
  const database = await creators[engine](added);
  if (added.length === 0 || engine === 'citus') return database;
  await (await openTestDatabase(database)).close();
  for (const resource of added)
    for (const sql of createSql(engine, resource).split(/(?<=;)\n\n/)) await database.query(sql);
  return database;
}

/** Opens a database as the service does; `environment` holds the settings that differ from the defaults. */
export function openTestDatabase(
  { url }: Pick<TestDatabase, 'url'>,
  environment: Readonly<Record<string, string>> = {},
  timeouts: Partial<PostgresqlTimeouts> = {},
  options: OpenOptions = {},
): Promise<Database> {
  const config = parseConfig({ ...environment, DATABASE_URL: url }, '/');
  return openDatabase(withTimeouts(config, timeouts).database, options);
}

/** Changes how long a service waits for PostgreSQL. */
export function withTimeouts(config: Config, timeouts: Partial<PostgresqlTimeouts>): Config {
  const { database } = config;
  if (database.engine === 'sqlite') return config;
  return { ...config, database: { ...database, timeouts: { ...database.timeouts, ...timeouts } } };
}
