import { expect } from 'vitest';
import type { TestDatabase } from './database/test-database.js';
import type { Reply } from './expect-error.js';
import { readPlants, type StoredRow } from './read-plants.js';

/** Checks that a request is answered with the plant, and that the database has exactly this row for its id. */
export async function expectStored(
  service: { readonly database: TestDatabase },
  request: PromiseLike<Reply>,
  row: StoredRow,
): Promise<void> {
  const { status, headers, body } = await request;
  expect(body).toStrictEqual(row.tag === null ? { name: row.name } : { name: row.name, tag: row.tag });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/);
  const rows = await readPlants(service);
  expect(rows.filter(({ id }) => id === row.id)).toStrictEqual([row]);
}
