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

/** The namespace of the advisory locks: one for each run in progress, whose number the names of its schemas have. */
const runLocks = 0x9_1a_27;
/** The lock of the run that removes what runs have left; no run has this number. */
const removing = 0;

let connection: pg.Client | undefined;
const run = randomInt(1, 2 ** 31);

/**
 * Connects to the cluster that CITUS_URL names, and removes what runs have left there that were killed.
 *
 * @throws {Error} when it is not set, or is no cluster
 */
export async function setup(project: TestProject): Promise<void> {
  const url = process.env['CITUS_URL'];
  if (!url) throw new Error('Set CITUS_URL to the URI of the coordinator of a cluster, with a superuser.');
  connection = new pg.Client({ connectionString: url });
  await connection.connect();
  await connection.query('SELECT pg_advisory_lock($1, $2)', [runLocks, run]);
  await removeLeftovers(connection);
  project.provide('citusUrl', url);
  project.provide('citusPrefix', `test_${run}_`);
}

export async function teardown(): Promise<void> {
  await connection?.query('SELECT pg_advisory_unlock($1, $2)', [runLocks, run]);
  if (connection) await removeLeftovers(connection);
  await connection?.end();
}

/** Removes the schemas and then the roles of all runs that hold no lock any more. */
async function removeLeftovers(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1, $2)', [runLocks, removing]);
  const { rows } = await client.query<{ removal: string }>(
    `SELECT removal FROM (
       SELECT nspname, 1, format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace
       UNION ALL SELECT rolname, 2, format('DROP OWNED BY %1$I; DROP ROLE %1$I', rolname) FROM pg_roles
     ) AS names (name, place, removal)
     WHERE substring(name FROM '^test_([0-9]+)_')::oid NOT IN (
       SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1
     ) ORDER BY place`,
    [runLocks],
  );
  for (const { removal } of rows) await client.query(removal);
  await client.query('SELECT pg_advisory_unlock($1, $2)', [runLocks, removing]);
}
