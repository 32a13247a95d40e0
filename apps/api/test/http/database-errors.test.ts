import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outageKinds } from '../support/database/test-database.js';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  // While another program has locked the plants, a create waits as long.
  service = await startTestService({ DATABASE_STATEMENT_TIMEOUT_MS: '1000' });
});
afterAll(() => service.stop());

const internals =
  /prisma|sqlite|postgres|database is locked|canceling|table|relation|constraint|insert|select|\.ts|\bat /i;

/** The errors of the engines and drivers when another program has locked or closed the database. */
const engineErrors =
  /SQLITE_BUSY|57014: canceling|55000: .+ not currently accepting|28000: .+ not permitted to log in|57P01: terminating|Connection terminated/;

describe.each(outageKinds)('while the database does not answer (%s)', (kind) => {
  let endOutage = async () => {};
  afterEach(() => endOutage());

  it.each([
    { id: '1', token: 'cached', isNew: false },
    { id: '2', token: 'not cached', isNew: true },
  ])('rejects plant $id, its token $token, and stores it afterwards', async ({ id, isNew }) => {
    const row = { id: kind === 'closed' ? id : `1${id}`, name: 'Monstera', tag: null };
    const body = `{"id":${row.id},"name":"Monstera"}`;
    const { text: newToken } = await service.accessTokens.issue({ name: 'new' });
    const sender = { ...service, token: isNew ? newToken : service.token };
    if (!isNew)
      await expect.poll(() => postPlant(sender, '{"id":0,"name":"Fern"}')).toHaveProperty('status', 200);
    endOutage = await service.database.beginOutage(kind);

    const rejected = await postPlant(sender, body);
    expectError(rejected, 'database_unavailable', /^The database does not answer\. Try again in 1 second\.$/);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(JSON.stringify(rejected.headers)).not.toMatch(internals);

    await endOutage();
    expect((await readPlants(service)).filter(({ id }) => id === row.id)).toEqual([]);
    // Nodes of Citus are checked again within a second.
    const accepted = expect.poll(() => postPlant(sender, body));
    await accepted.toMatchObject({
      status: 200,
      headers: expect.not.objectContaining({ 'idempotent-replayed': 'true' }),
    });
    await expectStored(service, postPlant(sender, body), row);

    const lines = await readLog(service, rejected.headers['x-request-id']);
    expect(lines).toMatchObject([
      { level: 50, err: { message: expect.stringMatching(engineErrors), stack: expect.any(String) } },
      { level: 30, status: 503, error: 50301 },
    ]);
  });
});

describe.each(['plants', 'access_tokens'])('while the table %s is missing', (table) => {
  let newToken: string;
  beforeEach(async () => {
    newToken = (await service.accessTokens.issue({ name: 'not cached' })).text;
    await service.database.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
  });
  afterEach(() => service.database.query(`ALTER TABLE elsewhere RENAME TO ${table}`));

  it('shows internals only in the log, not to the caller', async () => {
    const reply = await postPlant({ ...service, token: newToken }, { id: 3, name: 'Fern' });
    const message = /^An unexpected error occurred\. Retrying the request is safe\.$/;
    expectError(reply, 'internal_error', message);
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
