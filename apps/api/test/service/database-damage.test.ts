import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import supertest from 'supertest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { startService } from '../../src/service.js';
import { createTestDatabase, openTestDatabase } from '../support/database/create-test-database.js';
import type { TestDatabase } from '../support/database/test-database.js';
import { postPlant } from '../support/post-plant.js';

const pageBytes = 4_096;
/** The first pages hold the schema, the tokens and the top of the tree of plants. */
const firstPages = 16;

let database: TestDatabase;
let path: string;
beforeEach(async () => {
  database = await createTestDatabase('sqlite');
  path = fileURLToPath(database.url);
  const store = await openTestDatabase(database);
  await store.plants.create(
    Array.from({ length: 2_000 }, (_, id) => ({ id: BigInt(id), name: 'x'.repeat(300) })),
  );
  await store.close();
  // Every create changes its last page; what is tested here is that some do not meet the damage.
  await database.query('DROP INDEX plants_added_at_idx');
});
afterEach(() => database.remove());

/** Overwrites a range of pages, by default to the end of the file. */
function damagePages(first: number, end = statSync(path).size / pageBytes): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc((end - first) * pageBytes, 'Z'), 0, undefined, first * pageBytes);
  closeSync(file);
}

it('stores nothing after a create hits a damaged page, is not ready, and logs it once', async () => {
  damagePages(firstPages);
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const config = parseConfig(
    { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: database.url, PAGE: 'off', CLIENT: 'off' },
    '/',
  );
  const service = await startService(config, log);
  const { text: token } = await service.accessTokens.issue({ name: 'test' });
  const post = (id: number) => postPlant({ ...service, token }, { id, name: 'Fern' });
  expect((await post(-1)).status).toBe(200);

  // Only the first of these is on a damaged page, the last one.
  for (const id of [1_000_000, -1, -2]) {
    const reply = await post(id);
    expect(reply.status).toBe(503);
    expect(reply.body).toEqual({
      error: 50303,
      message: 'The database is damaged. Ask the operator to restore it.',
    });
    expect(reply.headers).not.toHaveProperty('retry-after');
  }
  const readiness = await supertest(service.adminUrl ?? '').get('/readyz');
  expect(readiness.status).toBe(503);
  expect(readiness.body).toEqual({ status: 'unavailable', reason: 'database_damaged' });
  expect(readiness.headers).not.toHaveProperty('retry-after');
  const found = lines
    .map((line): { msg: string } => JSON.parse(line))
    .filter(({ msg }) => msg === 'the database is damaged');
  expect(found).toMatchObject([{ level: 50, err: { message: expect.stringMatching(/^SQLITE_CORRUPT: /) } }]);
  await service.stop();
});

it('then fails readiness checks and trial commits', async () => {
  damagePages(firstPages);
  const store = await openTestDatabase(database);
  const damaged = { errorName: 'database_damaged' };
  await expect(store.probeCommit()).resolves.toBeUndefined();
  await expect(store.plants.create([{ id: 1_000_000n, name: 'Fern' }])).rejects.toMatchObject(damaged);
  await expect(store.check()).rejects.toMatchObject(damaged);
  await expect(store.probeCommit()).rejects.toMatchObject(damaged);
  await store.close();
});

it.each([
  ['its pages are overwritten', () => damagePages(1)],
  ['it is not a database', () => writeFileSync(path, 'x'.repeat(100_000))],
])('does not open a file if %s, and reports what to do', async (_, damage) => {
  damage();
  await expect(openTestDatabase(database)).rejects.toMatchObject({
    name: 'OperatorError',
    exitCode: 1,
    message: expect.stringMatching(
      /plant-store\.db is damaged, or is not a database: .+\n.+restore a backup/,
    ),
  });
});
