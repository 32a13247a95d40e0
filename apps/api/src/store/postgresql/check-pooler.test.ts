import { createDatabase, query } from '@plant-store/postgresql-server';
import { beforeEach, expect, inject, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { startPooler } from '../../../test/support/postgresql/start-pooler.js';
import { OperatorError } from '../../errors/operator-error.js';

let url = '';
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

const plant = { id: 1n, name: 'Monstera' };
const nameOf = () => new URL(url).pathname.slice(1);

async function openBehind(tracksStatements: boolean, settings = {}) {
  return openTestDatabase({ url: await startPooler(url, tracksStatements) }, settings);
}

/** Expects an error that says what to do, before anything was created. */
async function expectRejection(opening: Promise<unknown>, message: RegExp) {
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(message);
  const tables = await query(url, `SELECT tablename FROM pg_tables WHERE tablename = 'plants'`);
  expect(tables).toEqual([]);
}

it.each(['1', '10'])('a pooler without prepared statements is rejected, with a pool of %s', async (size) => {
  const opening = openBehind(false, { DATABASE_POOL_SIZE: size });
  await expectRejection(opening, /does not support prepared statements\. Enable them \(PgBouncer 1\.21/);
});

it.each([
  ['synchronous_commit = off', 'synchronous_commit = on'],
  ['client_min_messages = error', 'client_min_messages = warning'],
])('a pooler in transaction mode is rejected where the server has %s', async (found, needed) => {
  await query(url, `ALTER DATABASE ${nameOf()} SET ${found}`);
  await expectRejection(openBehind(true), new RegExp(`ALTER ROLE … SET ${needed}`));
});

it('a pooler in transaction mode is used when it supports prepared statements', async () => {
  const database = await openBehind(true);
  const plants = Array.from({ length: 20 }, (_, index) => ({ ...plant, id: BigInt(index % 10) }));
  const outcomes = await Promise.all(plants.map((one) => database.stores.plant.create([one])));
  expect(outcomes.flat().filter(({ stored }) => stored)).toHaveLength(10);
  await database.check();
  await database.close();
});

it('a pool of one needs a single connection at a time', async () => {
  await query(url, `CREATE ROLE single_${nameOf()} LOGIN CONNECTION LIMIT 1 PASSWORD 'secret'`);
  await query(url, `ALTER DATABASE ${nameOf()} OWNER TO single_${nameOf()}`);
  const asSingle = Object.assign(new URL(url), { username: `single_${nameOf()}`, password: 'secret' }).href;
  const database = await openTestDatabase({ url: asSingle }, { DATABASE_POOL_SIZE: '1' });
  expect(await database.stores.plant.create([plant])).toMatchObject([{ stored: true }]);
  await database.close();
});
