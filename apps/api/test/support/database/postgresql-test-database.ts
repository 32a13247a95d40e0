import type { Resource } from '@plant-store/contract/resource';
import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { inject } from 'vitest';
import { createSql } from '../../../scripts/create-sql.js';
import { readMigrations } from '../../../src/store/migrations.js';
import { distributeTables } from '../../../src/store/postgresql/citus.js';
import { withConnection } from '../../../src/store/postgresql/connection.js';
import { migratePostgresql } from '../../../src/store/postgresql/migrate-postgresql.js';
import { allTables, tableOf } from '../../../src/store/table.js';
import { openCitusSchema } from '../postgresql/citus-cluster.js';
import type {} from '../postgresql/global-setup.js';
import type { TestDatabase } from './test-database.js';

/** Two for each node of a small cluster, so that a batch of several records has some of each. */
const shards = 4;

/** Creates an empty database on the PostgreSQL server that the tests share. */
export async function createPostgresqlTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresqlUrl');
  const url = await createDatabase(serverUrl);
  const name = new URL(url).pathname.slice(1);
  const administer = (sql: string) => query(`${serverUrl}/postgres`, sql);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  return {
    url,
    ...controlTables({
      query: async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows,
      locker: { connectionString: url },
      schema: 'public',
      ofService: `datname = '${name}'`,
      admit: (isAdmitted) => administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAdmitted}`),
      administer,
    }),
    async remove() {
      await pool.end();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Creates a schema with a user of its own on the Citus cluster that the tests share, and distributes its tables. A schema
 * takes less time than a database on each node.
 */
export async function createCitusTestDatabase(added: readonly Resource[] = []): Promise<TestDatabase> {
  const { name, query, url: schemaUrl, remove } = await openCitusSchema();
  await query(`CREATE ROLE ${name} LOGIN; CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
  const url = Object.assign(new URL(schemaUrl), { username: name }).href;
  const connectionString = Object.assign(new URL(inject('citusUrl')), { username: name }).href;
  const options = `-c search_path=${name}`;
  await withConnection({ connectionString, options }, async (connection) => {
    await migratePostgresql(connection, name, readMigrations('postgresql'));
    for (const resource of added) await connection.query(createSql('postgresql', resource));
    await distributeTables(connection, shards, [...allTables, ...added.map((resource) => tableOf(resource))]);
  });
  return {
    url,
    ...controlTables({
      query,
      locker: { connectionString: inject('citusUrl'), options },
      schema: name,
      ofService: `usename = '${name}'`,
      admit: (isAdmitted) => query(`ALTER ROLE ${name} ${isAdmitted ? 'LOGIN' : 'NOLOGIN'}`),
      administer: query,
    }),
    async remove() {
      await query(`DROP SCHEMA ${name} CASCADE; DROP OWNED BY ${name}; DROP ROLE ${name}`);
      await remove();
    },
  };
}

interface Access extends Pick<TestDatabase, 'query'> {
  /** The connection that locks the table of plants. */
  readonly locker: pg.ClientConfig;
  readonly schema: string;
  /** A condition for the connections of the service in `pg_stat_activity`. */
  readonly ofService: string;
  /** Lets the service open connections, or not. */
  admit(isAdmitted: boolean): Promise<unknown>;
  /** Runs a statement that does not need to be in the database. */
  administer(sql: string): Promise<unknown>;
}

function controlTables(access: Access): Omit<TestDatabase, 'url' | 'remove'> {
  const { query, locker, schema, ofService, admit, administer } = access;
  async function close() {
    await admit(false);
    await administer(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE ${ofService} AND application_name = 'plant-store'`);
    return async () => void (await admit(true));
  }

  async function lock() {
    const connection = new pg.Client(locker);
    await connection.connect();
    await connection.query('BEGIN; LOCK TABLE plants IN EXCLUSIVE MODE');
    return () => connection.end();
  }

  /** Runs PL/pgSQL code before each insert of a plant. */
  async function onInsert(body: string) {
    await query(`CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${body} END$$`);
    await query('CREATE TRIGGER act BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION act()');
  }

  return {
    query,
    beginOutage: (kind) => (kind === 'closed' ? close() : lock()),
    // The error that PostgreSQL reports for a damaged page.
    damage: () => onInsert(`RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001';`),
    ignoreInserts: (name) => onInsert(`IF NEW.name = '${name}' THEN RETURN NULL; END IF; RETURN NEW;`),
    async readEverything() {
      const tables = await query<{ name: string }>(
        `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
      );
      const contents = [];
      for (const { name } of tables) contents.push(await query(`SELECT * FROM ${name}`));
      return JSON.stringify(contents);
    },
  };
}
