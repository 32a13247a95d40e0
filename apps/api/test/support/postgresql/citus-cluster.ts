import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type {} from './citus-setup.js';

/** A schema on a Citus cluster. */
export interface CitusSchema {
  readonly name: string;
  /** The `DATABASE_URL` for it. */
  readonly url: string;
  /** Runs statements in it, and returns the rows of the last one. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Removes it with all it has. */
  remove(): Promise<void>;
}

/** Names a schema on the cluster, which lasts as long as the test. */
export async function createCitusSchema(): Promise<CitusSchema> {
  const schema = await openCitusSchema();
  onTestFinished(schema.remove);
  return schema;
}

/** Names a schema on the cluster. Its connection may create triggers on shards, which a distributed table rejects otherwise. */
export async function openCitusSchema(): Promise<CitusSchema> {
  const name = `${inject('citusPrefix')}${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const url = new URL(inject('citusUrl'));
  const client = new pg.Client({
    connectionString: url.href,
    options: `-c search_path=${name} -c citus.enable_unsafe_triggers=on`,
  });
  await client.connect();
  url.searchParams.set('schema', name);
  return {
    name,
    url: url.href,
    async query<Row extends object>(sql: string) {
      const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(sql);
      return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];
    },
    remove: () => client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`).then(() => client.end()),
  };
}
