import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from './expect-refusal.js';
import { expectStored } from './expect-stored.js';
import { postPlant } from './post-plant.js';
import { readLog } from './read-log.js';
import { readPlants } from './read-plants.js';
import { startTestService, type TestService } from './start-test-service.js';

let service: TestService;
/** The database, opened by another program. */
let database: Database.Database;
beforeAll(async () => {
  service = await startTestService();
  database = new Database(join(service.folder, 'plant-store.db'));
});
afterAll(async () => {
  database.close();
  await service.stop();
});

const internals = /prisma|sqlite|database is locked|table|constraint|insert|select|\.ts|\bat /i;

describe.each(['EXCLUSIVE', 'IMMEDIATE'])('while another program holds the database (%s)', (mode) => {
  beforeEach(() => void database.exec(`BEGIN ${mode}`));
  afterEach(() => void (database.inTransaction && database.exec('ROLLBACK')));

  it('refuses a plant for the moment, and stores it afterwards', async () => {
    const row = { id: mode === 'EXCLUSIVE' ? '1' : '2', name: 'Monstera', tag: null };
    const body = `{"id":${row.id},"name":"Monstera"}`;

    const refused = await postPlant(service, body);
    expectRefusal(
      refused,
      'database_unavailable',
      /^The database does not answer\. Try again in 1 second\.$/,
    );
    expect(refused.headers['retry-after']).toBe('1');

    database.exec('ROLLBACK');
    expect(readPlants(service).filter(({ id }) => id === row.id)).toEqual([]);
    const accepted = postPlant(service, body);
    await expectStored(service, accepted, row);
    expect((await accepted).headers).not.toHaveProperty('idempotent-replayed');

    const lines = await readLog(service, refused.headers['x-request-id']);
    expect(lines).toMatchObject([
      { level: 50, err: { message: expect.stringContaining('SQLITE_BUSY'), stack: expect.any(String) } },
      { level: 30, status: 503, error: 50301 },
    ]);
  });
});

describe.each(['plants', 'access_tokens'])('while the table %s is missing', (table) => {
  let newToken: string;
  beforeEach(async () => {
    newToken = (await service.accessTokens.issue({ name: 'to be looked up' })).text;
    database.exec(`ALTER TABLE ${table} RENAME TO elsewhere`);
  });
  afterEach(() => void database.exec(`ALTER TABLE elsewhere RENAME TO ${table}`));

  it('tells the caller nothing about the inside, and the log everything', async () => {
    const reply = await postPlant({ ...service, token: newToken }, { id: 3, name: 'Fern' });
    const message = /^The service met an unexpected fault\. Repeating the request is safe\.$/;
    expectRefusal(reply, 'internal_error', message);
    expect(JSON.stringify([reply.body, reply.headers])).not.toMatch(internals);

    const lines = await readLog(service, reply.headers['x-request-id']);
    expect(lines).toMatchObject([
      {
        level: 50,
        err: { message: expect.stringMatching(internals), stack: expect.stringMatching(/\n +at /) },
      },
      { level: 30, status: 500, error: 50000 },
    ]);
  });
});

it('still stores a plant', async () => {
  await expectStored(service, postPlant(service, { id: 3, name: 'Fern' }), {
    id: '3',
    name: 'Fern',
    tag: null,
  });
});
