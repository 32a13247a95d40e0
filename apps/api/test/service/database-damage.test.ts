import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../support/database/create-test-database.js';
import { postPlant } from '../support/post-plant.js';
import { findLines } from '../support/read-log.js';
import { startTestService } from '../support/start-test-service.js';

/** Creates a database of many pages, and overwrites the one with the largest ids. */
async function createDamaged() {
  const database = await createTestDatabase('sqlite');
  onTestFinished(() => database.remove());
  const store = await openTestDatabase(database);
  const name = 'x'.repeat(300);
  await store.stores.plant.create(Array.from({ length: 2_000 }, (_, id) => ({ id: BigInt(id), name })));
  await store.close();
  const [last] = await database.query<{ pageno: number; pgsize: number }>(
    `SELECT pageno, pgsize FROM dbstat WHERE name = 'plants' AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1`,
  );
  const { pageno = 0, pgsize = 0 } = last ?? {};
  const file = openSync(fileURLToPath(database.url), 'r+');
  writeSync(file, Buffer.alloc(pgsize, 'Z'), 0, undefined, (pageno - 1) * pgsize);
  closeSync(file);
  return database;
}

it('stores nothing after a create hits a damaged page, is not ready, and logs it once', async () => {
  const database = await createDamaged();
  const service = await startTestService({ ADMIN_PORT: '0', DATABASE_URL: database.url });
  const post = (id: number) => postPlant(service, { id, name: 'Fern' });
  expect((await post(-1)).status).toBe(200);

  // Only the first of these is on a damaged page, the last one.
  for (const id of [1_000_000, -1, -2]) {
    const { status, body, headers } = await post(id);
    const message = 'The database is damaged. Ask the operator to restore it.';
    expect({ status, body }).toEqual({ status: 503, body: { error: 50303, message } });
    expect(headers).not.toHaveProperty('retry-after');
  }
  const readiness = await fetch(`${service.adminUrl}/readyz`);
  expect(readiness.status).toBe(503);
  expect(await readiness.json()).toEqual({ status: 'unavailable', reason: 'database_damaged' });
  expect(readiness.headers.has('retry-after')).toBe(false);
  const err = { message: expect.stringMatching(/^SQLITE_CORRUPT: /) };
  expect(findLines(service, 'the database is damaged')).toMatchObject([{ level: 50, err }]);
});
