import { type Client, createClient } from '@plant-store/client';
import { INT64_MAX, type PlantState } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import { expect, it } from 'vitest';
import { startTestService, type TestService, useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function clientOf({ baseUrl, accessTokens }: TestService, ...scopes: ('admin' | 'read')[]) {
  const all = ['create', 'update', 'delete', ...scopes] as const;
  const { secret, token } = await accessTokens.issue({ name: 'test', scopes: all });
  return { client: createClient({ baseUrl, token: secret }), by: `${token.id}` };
}

const names = (states: readonly PlantState[]) => states.map(({ name, tag }) => [name, tag].join(' '));

async function statesOf(client: Client, id: bigint): Promise<readonly PlantState[]> {
  const reply = await client.getPlantHistory({ params: { id } });
  if (reply.status !== 200) throw new Error(`The status is ${reply.status}`);
  expect(reply.body).not.toHaveProperty('next');
  return reply.body.states;
}

const update = (client: Client, id: bigint, body: { name: string; tag?: string }) =>
  client.updatePlant({ params: { id }, headers: { 'if-match': '*' }, body });

it('shows what a plant is and what it was, the latest first, and by whom only to admins', async () => {
  const [one, other] = [await clientOf(service, 'read', 'admin'), await clientOf(service, 'read')];
  const id = INT64_MAX;
  await one.client.createPlant({ body: { id, name: 'Fren', tag: 'a' } });
  expect(await statesOf(other.client, id)).toEqual([{ name: 'Fren', tag: 'a', from: time }]);
  await update(other.client, id, { name: 'Fern', tag: 'a' });
  await update(one.client, id, { name: 'Fern' });
  const states = await statesOf(other.client, id);
  expect(states).toEqual([
    { name: 'Fern', from: time },
    { name: 'Fern', tag: 'a', from: time, until: states[0]?.from },
    { name: 'Fren', tag: 'a', from: time, until: states[1]?.from },
  ]);
  const { body } = await other.client.getPlant({ params: { id } });
  expect(body).toMatchObject({ addedAt: states[2]?.from });
  const shown = await statesOf(one.client, id);
  expect(shown.map(({ by }) => by)).toEqual([one.by, other.by, one.by]);
  // What was a plant is restored by an update to it.
  await update(one.client, id, { name: 'Fren', tag: 'a' });
  expect(names(await statesOf(one.client, id))).toEqual(['Fren a', 'Fern ', 'Fern a', 'Fren a']);
});

it('is gone with the plant, also from the database, and starts again with its id', async () => {
  const { client } = await clientOf(service, 'read');
  for (const id of [2n, 3n]) {
    await client.createPlant({ body: { id, name: 'secret-1' } });
    await update(client, id, { name: 'secret-2', tag: 'secret-3' });
    await update(client, id, { name: 'Rose' });
  }
  await client.deletePlant({ params: { id: 2n } });
  await client.deletePlants({ body: { ids: ['3'] } });
  const notFound = { status: 404, body: { error: errors.plant_not_found.error } };
  for (const id of [2n, 3n]) expect(await client.getPlantHistory({ params: { id } })).toMatchObject(notFound);
  // The write-ahead log of SQLite is emptied within 10 seconds.
  await until(async () => !(await service.database.readEverything()).includes('secret'));
  const reused = { params: { id: 2n }, headers: { 'if-none-match': '*' } } as const;
  await client.updatePlant({ ...reused, body: { name: 'Ivy' } });
  expect(await statesOf(client, 2n)).toEqual([{ name: 'Ivy', from: time }]);
});

it('does not begin with a time that is not known', async () => {
  const { client } = await clientOf(service, 'read');
  await service.database.query(`INSERT INTO plants (id, name) VALUES (6, 'old')`);
  expect(await statesOf(client, 6n)).toEqual([{ name: 'old' }]);
  await update(client, 6n, { name: 'new' });
  const old = { name: 'old', until: time };
  expect(await statesOf(client, 6n)).toEqual([{ name: 'new', from: time }, old]);
});

it.each(['0', '30'])('keeps what was replaced for HISTORY_DAYS=%s', async (days) => {
  const limited = await startTestService({ HISTORY_DAYS: days });
  const { client } = await clientOf(limited, 'read');
  await client.createPlant({ body: { id: 1, name: 'a' } });
  await update(client, 1n, { name: 'b' });
  await update(client, 1n, { name: 'c' });
  const count = async () => (await limited.database.query('SELECT id FROM plants_history')).length;
  expect(await count()).toBe(days === '0' ? 0 : 2);
  expect(names(await statesOf(client, 1n))).toEqual(days === '0' ? ['c '] : ['c ', 'b ', 'a ']);
  const old = Date.now() - 31 * 86_400_000;
  await limited.database.query(`UPDATE plants_history SET replaced_at = ${old} WHERE name = 'a'`);
  expect(names(await statesOf(client, 1n))).toEqual(days === '0' ? ['c '] : ['c ', 'b ']);
});
