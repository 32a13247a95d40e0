import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { inject } from 'vitest';
import type {} from '../postgresql/global-setup.js';
import type { TestDatabase } from './test-database.js';

/** Creates an empty database on the PostgreSQL server that the tests share. */
export async function createPostgresqlTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresqlUrl');
  const url = await createDatabase(serverUrl);
  const name = new URL(url).pathname.slice(1);
  const administer = (sql: string) => query(`${serverUrl}/postgres`, sql);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);

  async function close() {
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = '${name}' AND application_name = 'plant-store'`,
    );
    return async () => void (await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
  }

  async function lock() {
    const connection = new pg.Client({ connectionString: url });
    await connection.connect();
    await connection.query('BEGIN; LOCK TABLE plants IN EXCLUSIVE MODE');
    return () => connection.end();
  }

  const runQuery = async <Row extends object>(sql: string): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql)).rows;

  return {
    url,
    query: runQuery,
    beginOutage: (kind) => (kind === 'closed' ? close() : lock()),
    ...addPostgresqlTriggers(runQuery),
    async readEverything() {
      const tables = await runQuery<{ name: string }>(
        `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
      );
      const contents = tables.map(({ name: table }) => runQuery(`SELECT * FROM ${table}`));
      return JSON.stringify(await Promise.all(contents));
    },
    async remove() {
      await pool.end();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Creates the functions of a database that make its inserts fail. */
export function addPostgresqlTriggers(
  query: TestDatabase['query'],
): Pick<TestDatabase, 'damage' | 'ignoreInserts'> {
  /** Runs PL/pgSQL code before each insert of a plant. */
  async function onInsert(body: string) {
    await query(`CREATE FUNCTION before_insert() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${body} END$$`);
    await query(
      'CREATE TRIGGER before_insert BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION before_insert()',
    );
  }
  return {
    // The error that PostgreSQL reports for a damaged page.
    damage: () => onInsert(`RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001';`),
    ignoreInserts: (name) => onInsert(`IF NEW.name = '${name}' THEN RETURN NULL; END IF; RETURN NEW;`),
  };
}
