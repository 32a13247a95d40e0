import pg from 'pg';
import { inject } from 'vitest';
import { readMigrations } from '../../../src/store/migrations.js';
import { distributePlants } from '../../../src/store/postgresql/citus/distribute-plants.js';
import { migratePostgresql } from '../../../src/store/postgresql/migrate-postgresql.js';
import { openCitusSchema } from '../postgresql/citus-cluster.js';
import { addPostgresqlTriggers } from './postgresql-test-database.js';
import type { TestDatabase } from './test-database.js';

/** Two for each node of a small cluster, so that a batch of several plants has some of each. */
const shards = 4;

/**
 * Creates an empty schema with a user of its own on the Citus cluster that the tests share, and distributes its plants. A
 * schema takes less time than a database on each node.
 */
export async function createCitusTestDatabase(): Promise<TestDatabase> {
  const schema = await openCitusSchema();
  const { name, query } = schema;
  const user = name;
  await query(`CREATE ROLE ${user} LOGIN; CREATE SCHEMA ${name} AUTHORIZATION ${user}`);
  const url = Object.assign(new URL(schema.url), { username: user }).href;
  const connection = new pg.Client({
    connectionString: Object.assign(new URL(inject('citusUrl')), { username: user }).href,
    options: `-c search_path=${name}`,
  });
  await connection.connect();
  await migratePostgresql(connection, name, readMigrations('postgresql'));
  await distributePlants(connection, shards);
  await connection.end();

  async function close() {
    await query(`ALTER ROLE ${user} NOLOGIN`);
    await query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE usename = '${user}' AND application_name = 'plant-store'`,
    );
    return async () => void (await query(`ALTER ROLE ${user} LOGIN`));
  }

  async function lock() {
    const locker = new pg.Client({
      connectionString: inject('citusUrl'),
      options: `-c search_path=${name}`,
    });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE plants IN EXCLUSIVE MODE');
    return () => locker.end();
  }

  return {
    url,
    query,
    beginOutage: (kind) => (kind === 'closed' ? close() : lock()),
    ...addPostgresqlTriggers(query),
    async readEverything() {
      const tables = await query<{ name: string }>(
        `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = '${name}'`,
      );
      const contents = [];
      for (const { name: table } of tables) contents.push(await query(`SELECT * FROM ${table}`));
      return JSON.stringify(contents);
    },
    async remove() {
      await query(`DROP SCHEMA ${name} CASCADE; DROP OWNED BY ${user}; DROP ROLE ${user}`);
      await schema.remove();
    },
  };
}
