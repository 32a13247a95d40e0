import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../support/database/create-test-database.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService } from '../support/start-test-service.js';

/** The first 16 pages hold the schema, the tokens and the top of the tree of plants. */
const firstBytes = 16 * 4_096;

/** Creates a database of many pages, and overwrites those behind the first ones. */
async function createDamaged() {
  const database = await createTestDatabase('sqlite');
  onTestFinished(() => database.remove());
  const store = await openTestDatabase(database);
  const name = 'x'.repeat(300);
  await store.stores.plant.create(Array.from({ length: 2_000 }, (_, id) => ({ id: BigInt(id), name })));
  await store.close();
  // Every create changes the last pages of the indexes; what is tested here is that some do not meet the damage.
  await database.query('DROP INDEX plants_added_at_idx');
  await database.query('UPDATE plants SET change_place = NULL');
  const path = fileURLToPath(database.url);
  const file = openSync(path, 'r+');
  const overwritten = Buffer.alloc(statSync(path).size - firstBytes, 'Z');
  writeSync(file, overwritten, 0, undefined, firstBytes);
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
  const found = service.logLines
    .map((line): { msg: string } => JSON.parse(line))
    .filter(({ msg }) => msg === 'the database is damaged');
  expect(found).toMatchObject([{ level: 50, err: { message: expect.stringMatching(/^SQLITE_CORRUPT: /) } }]);
});
