import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Creates an empty database with a unique name, and returns its URL. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `plants_${randomUUID().replaceAll('-', '')}`;
  // Copying the files of the template takes half the time of writing its pages to the log.
  await query(`${serverUrl}/postgres`, `CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  return `${serverUrl}/${name}`;
}

/** Runs one statement on a new connection. Returns its rows, with 64-bit integers as text. */
export async function query<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(sql, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
