import { expect, it } from 'vitest';
import { outageKinds } from '../support/database/test-database.js';
import { expectError, type Reply } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { useTestService } from '../support/start-test-service.js';

// While another program has locked the plants, a create waits as long.
const service = useTestService({ DATABASE_STATEMENT_TIMEOUT_MS: '1000' });

const issue = async () => (await service.accessTokens.issue({ name: 'not cached' })).secret;
const readLogOf = ({ headers }: Reply) => readLog(service, headers['x-request-id']);

const internals =
  /prisma|sqlite|postgres|database is locked|canceling|table|relation|constraint|insert|select|\.ts|\bat /i;

/** The errors of the engines and drivers when another program has locked or closed the database. */
const engineErrors =
  /SQLITE_BUSY|57014: canceling|55000: .+ not currently accepting|28000: .+ not permitted to log in|57P01: terminating|Connection terminated/;

it.each(outageKinds.flatMap((kind) => ['cached', 'not cached'].map((token) => [kind, token] as const)))(
  'while the database is %s, rejects a plant whose token is %s, and stores it afterwards',
  async (kind, token) => {
    await service.database.query('DELETE FROM plants');
    const sender = { ...service, token: await issue() };
    if (token === 'cached') expect((await postPlant(sender, '{')).status).toBe(400);
    const endOutage = await service.database.beginOutage(kind);
    const post = () => postPlant(sender, '{"id":1,"name":"Monstera"}');
    const rejected = await post();
    await endOutage();
    expectError(
      rejected,
      'database_unavailable',
      /^The database is not responding\. Try again in 1 second\.$/,
    );
    expect(rejected.headers['retry-after']).toBe('1');
    expect(JSON.stringify(rejected.headers)).not.toMatch(internals);
    expect(await readPlants(service)).toEqual([]);

    const accepted = await post();
    await expectStored(service, Promise.resolve(accepted), { id: '1', name: 'Monstera', tag: null });
    expect(accepted.headers).not.toHaveProperty('idempotent-replayed');
    const err = { message: expect.stringMatching(engineErrors), stack: expect.any(String) };
    const request = { level: 30, status: 503, error: 50301 };
    expect(await readLogOf(rejected)).toMatchObject([{ level: 50, err }, request]);
  },
);

it.each(['plants', 'access_tokens'])(
  'while the table %s is missing, shows internals only in the log, not to the caller',
  async (table) => {
    const token = await issue();
    await service.database.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
    const reply = await postPlant({ ...service, token }, { id: 3, name: 'Fern' });
    await service.database.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
    const message = /^An unexpected error occurred\. Retrying the request is safe\.$/;
    expectError(reply, 'internal_error', message);
    expect(JSON.stringify([reply.body, reply.headers])).not.toMatch(internals);
    const err = { message: expect.stringMatching(internals), stack: expect.stringMatching(/\n +at /) };
    const request = { level: 30, status: 500, error: 50000 };
    expect(await readLogOf(reply)).toMatchObject([{ level: 50, err }, request]);
    const row = { id: '3', name: 'Fern', tag: null };
    await expectStored(service, postPlant({ ...service, token }, { id: 3, name: 'Fern' }), row);
  },
);

it('once it is damaged, asks for the operator', async () => {
  await service.database.damage();
  const { status, body } = await postPlant(service, { id: 4, name: 'Fern' });
  expect(body).toEqual({ error: 50303, message: expect.stringMatching(/damaged\. Ask the operator/) });
  expect(status).toBe(503);
});
