import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A schema on a Citus cluster, which lasts as long as the test. */
export interface CitusSchema {
  /** The `DATABASE_URL` for it. */
  readonly url: string;
  /** Runs statements in it, and returns the rows of the last one. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
}

/**
 * Names a schema on the cluster whose coordinator is at `CITUS_URL`, and removes it after the test.
 *
 * @throws {Error} when that is not set
 */
export async function createCitusSchema(): Promise<CitusSchema> {
  const clusterUrl = process.env['CITUS_URL'];
  if (!clusterUrl) {
    throw new Error(
      'These tests need a Citus cluster: set CITUS_URL to the URI of its coordinator, with a superuser.',
    );
  }
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(clusterUrl);
  url.searchParams.set('schema', schema);
  const client = new pg.Client({ connectionString: clusterUrl, options: `-c search_path=${schema}` });
  await client.connect();
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).finally(() => client.end());
  });
  return {
    url: url.href,
    query: async <Row extends object>(sql: string) => {
      const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(sql);
      return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];
    },
  };
}
