import { type Config, parseConfig } from '../../../src/config.js';
import type { Database } from '../../../src/store/database.js';
import type { PostgresqlTimeouts } from '../../../src/store/database-location.js';
import { openDatabase } from '../../../src/store/open-database.js';
import type { TestEngine } from './engines.js';
import { createCitusTestDatabase, createPostgresqlTestDatabase } from './postgresql-test-database.js';
import { createSqliteTestDatabase } from './sqlite-test-database.js';
import type { TestDatabase } from './test-database.js';

const creators: Readonly<Record<TestEngine, () => Promise<TestDatabase>>> = {
  sqlite: createSqliteTestDatabase,
  postgresql: createPostgresqlTestDatabase,
  citus: createCitusTestDatabase,
};

/** Creates an empty database on an engine. */
export function createTestDatabase(engine: TestEngine): Promise<TestDatabase> {
  return creators[engine]();
}

/** Opens a database as the service does; `environment` holds the settings that differ from the defaults. */
export function openTestDatabase(
  { url }: Pick<TestDatabase, 'url'>,
  environment: Readonly<Record<string, string>> = {},
  timeouts: Partial<PostgresqlTimeouts> = {},
): Promise<Database> {
  const config = parseConfig({ ...environment, DATABASE_URL: url }, '/');
  return openDatabase(withTimeouts(config, timeouts).database);
}

/** Changes how long a service waits for PostgreSQL. */
export function withTimeouts(config: Config, timeouts: Partial<PostgresqlTimeouts>): Config {
  const { database } = config;
  if (database.engine === 'sqlite') return config;
  return { ...config, database: { ...database, timeouts: { ...database.timeouts, ...timeouts } } };
}
