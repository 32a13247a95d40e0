import { randomInt } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URI of the coordinator of the Citus cluster on which the tests run; only in the mode `citus`. */
    readonly citusUrl: string;
    /** The beginning of the names of all schemas and roles that the tests of this run create on the cluster. */
    readonly citusPrefix: string;
  }
}

/** The namespace of the advisory locks, one for each run in progress, whose number the names of its schemas have. */
const runLocks = 0x9_1a_27;

let connection: pg.Client | undefined;
let prefix = '';

/**
 * Connects to the cluster that CITUS_URL names, and removes what runs have left there that were killed.
 *
 * @throws {Error} when it is not set, or is no cluster
 */
export async function setup(project: TestProject): Promise<void> {
  const url = process.env['CITUS_URL'];
  if (!url) {
    throw new Error(
      'These tests need a Citus cluster: set CITUS_URL to the URI of its coordinator, with a superuser.',
    );
  }
  connection = new pg.Client({ connectionString: url });
  await connection.connect();
  const run = randomInt(2 ** 31);
  prefix = `test_${run}_`;
  await connection.query('SELECT pg_advisory_lock($1, $2)', [runLocks, run]);
  await removeLeftovers(connection);
  project.provide('citusUrl', url);
  project.provide('citusPrefix', prefix);
}

export async function teardown(): Promise<void> {
  if (connection === undefined) return;
  await removeSchemas(connection, prefix);
  await connection.end();
}

/** Removes the schemas of runs that hold no lock any more. */
async function removeLeftovers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ run: number }>(`
    SELECT DISTINCT substring(name FROM '^test_([0-9]+)_')::int AS run
    FROM (SELECT nspname FROM pg_namespace UNION SELECT rolname FROM pg_roles) AS names (name)
    WHERE name ~ '^test_[0-9]+_'`);
  for (const { run } of rows) {
    const { rows: locks } = await client.query<{ isOver: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS "isOver"',
      [runLocks, run],
    );
    if (!locks[0]?.isOver || prefix === `test_${run}_`) continue;
    await removeSchemas(client, `test_${run}_`);
    await client.query('SELECT pg_advisory_unlock($1, $2)', [runLocks, run]);
  }
}

/** Removes the schemas and roles whose name begins with a prefix. */
async function removeSchemas(client: pg.Client, start: string): Promise<void> {
  const { rows } = await client.query<{ name: string; isRole: boolean }>(
    `SELECT nspname AS name, false AS "isRole" FROM pg_namespace WHERE starts_with(nspname, $1)
     UNION ALL SELECT rolname, true FROM pg_roles WHERE starts_with(rolname, $1)`,
    [start],
  );
  for (const { name, isRole } of rows) {
    if (isRole) await client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    else await client.query(`DROP SCHEMA ${name} CASCADE`);
  }
}
