import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { runCommand } from '../process/run-command.js';
import { temporaryFolder } from '../temporary-folder.js';
import type {} from './citus-setup.js';

/** Names a schema on the Citus cluster, which lasts as long as the test, and runs commands on it. */
export async function createCitusSchema() {
  const schema = await openCitusSchema();
  onTestFinished(schema.remove);
  const call = { folder: temporaryFolder(), environment: { DATABASE_URL: schema.url } };
  return { ...schema, call, migrate: (...options: string[]) => runCommand(['migrate', ...options], call) };
}

/** Names a schema on the cluster. Its connection may create triggers on shards, which a distributed table rejects otherwise. */
export async function openCitusSchema() {
  const name = `${inject('citusPrefix')}${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const url = new URL(inject('citusUrl'));
  const options = `-c search_path=${name} -c citus.enable_unsafe_triggers=on`;
  const client = new pg.Client({ connectionString: url.href, options });
  await client.connect();
  url.searchParams.set('schema', name);
  return {
    name,
    /** The `DATABASE_URL` for it. */
    url: url.href,
    /** Runs statements in it, and returns the rows of the last one. */
    async query<Row extends object>(sql: string): Promise<readonly Row[]> {
      const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(sql);
      return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];
    },
    /** Removes it with all it has. */
    remove: () => client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`).then(() => client.end()),
  };
}
