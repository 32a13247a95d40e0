import { randomInt } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { removalOf } from '@plant-store/records';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { listen } from '../../../test/support/listen.js';
import { readPage } from '../../../test/support/read-markdown.js';
import { until } from '../../../test/support/until.js';
import { OperatorError } from '../../errors/operator-error.js';
import { operator } from '../../runtime/operator.js';
import { withConnection } from './connection.js';

const serverUrl = inject('postgresqlUrl');
const password = 'kept-s3cret';

/** A user who may connect, and has no other privilege. */
const user = 'gardener';
let shared = '';
beforeAll(async () => {
  await query(`${serverUrl}/postgres`, `CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
  shared = await createDatabase(serverUrl);
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const asUser = (url: string) => Object.assign(new URL(url), { username: user, password }).href;
const open = (url: string) => openTestDatabase({ url });

/** Creates the tables in a new schema of a database, grants that user the privileges of the service, and applies a change. */
async function createTables(change = '', database = shared): Promise<string> {
  const schema = `schema_${randomInt(2 ** 40)}`;
  const url = `${database}?schema=${schema}`;
  await (await open(url)).close();
  await query(
    database,
    `SET search_path = ${schema}; GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT INSERT ON plants TO ${user};
     GRANT SELECT, UPDATE ON store TO ${user}; GRANT SELECT, INSERT ON audit TO ${user};
     GRANT SELECT, INSERT, DELETE ON plants_history TO ${user};
     GRANT SELECT ON _prisma_migrations, access_tokens, plants, plants_change_base TO ${user}; ${change}`,
  );
  return url;
}

async function expectRejection(opening: Promise<unknown>, message: RegExp): Promise<void> {
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(message);
}

it.each<[title: string, urlOf: (url: string) => string | Promise<string>, message: RegExp]>([
  [
    'a wrong password',
    (url) => asUser(url).replace(password, `wrong-${password}`),
    /^The database plants_\w+ on 127.0.0.1:\d+ cannot be opened: password authentication failed for user "gardener"\nSet DATABASE_URL to /,
  ],
  [
    'no server on a socket',
    (url) => `${asUser(url)}?host=/nowhere`,
    /^The database plants_\w+ on \/nowhere:\d+ cannot be opened: .*ENOENT.*\nSet DATABASE_URL to /,
  ],
  [
    'a database that does not exist',
    (url) => asUser(url).replace(/\/\w+$/, '/nowhere'),
    /^The database nowhere on .+: database "nowhere" does not exist\nSet DATABASE_URL to /,
  ],
  ['a user who may not create tables', asUser, /permission denied.*\nSet .* a user who can create tables/],
  [
    'a read-only database',
    async () => {
      const url = await createDatabase(serverUrl);
      await query(url, `ALTER DATABASE ${nameOf(url)} SET default_transaction_read_only = on`);
      return url;
    },
    /read-only transaction\nSet DATABASE_URL to /,
  ],
  [
    'a database of another encoding',
    async (url) => {
      const name = `${nameOf(url)}_latin1`;
      await query(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0`);
      return asUser(`${serverUrl}/${name}`);
    },
    /its encoding is LATIN1, but Plant Store requires UTF8\. Create a database with ENCODING 'UTF8' TEMPLATE template0\./,
  ],
])('rejects %s, saying what to do and never quoting the password', async (_, urlOf, message) => {
  const url = await urlOf(shared);
  const error: unknown = await open(url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(inspect(error, { depth: null })).not.toContain(new URL(url).password);
});

it('rejects a server that does not answer, and leaves no connection open that would keep the process running', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined).resume()));
  const { port } = new URL(await listen(silent));
  const url = Object.assign(new URL(shared), { port }).href;
  const opening = openTestDatabase({ url }, {}, { startConnectMs: 200 });
  await expectRejection(opening, /timeout.*\nSet /);
  await until(() => sockets.length > 0 && sockets.every(({ destroyed }) => destroyed));
});

it.each([
  ['has no key', 'ALTER TABLE plants DROP CONSTRAINT plants_pkey', 'its id column has no primary key'],
  [
    'has a deferrable key',
    'ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id) DEFERRABLE',
    'its id column has no primary key or other unique index that ON CONFLICT can use',
  ],
  ['is emptied by a crash', 'ALTER TABLE plants SET UNLOGGED', 'it is unlogged'],
  ['is missing', 'DROP TABLE plants', 'it does not exist'],
  [
    'lacks a column',
    'ALTER TABLE plants DROP COLUMN tag CASCADE',
    'column "tag" .* does not exist \\(42703\\)',
  ],
  [
    'has another type',
    'DROP TRIGGER keep_plants_history ON plants; ALTER TABLE plants ALTER name TYPE integer USING 0',
    '.* of type integer .*42804',
  ],
  ['may not be changed by the user', `REVOKE INSERT ON plants FROM ${user}`, 'permission denied .*42501'],
])('rejects a table of plants that %s', async (_, change, reason) => {
  const message = `^The database cannot be used: its table plants does not match this version: ${reason}`;
  await expectRejection(open(asUser(await createTables(change))), new RegExp(message));
});

const numbers =
  'a required privilege .SELECT on plants_change_base, .* GRANT SELECT, UPDATE ON plants_change_base, store';
const history = 'SELECT, INSERT and DELETE plants_history, .* GRANT SELECT, INSERT, DELETE ON plants_history';
const audit = 'SELECT and INSERT audit, .* GRANT SELECT, INSERT ON audit';

it.each([
  ['SELECT ON plants_change_base', numbers],
  ['SELECT ON store', numbers],
  ['UPDATE ON store', numbers],
  ['SELECT ON plants_history', history],
  ['INSERT ON plants_history', history],
  ['DELETE ON plants_history', history],
  ['SELECT ON audit', audit],
  ['INSERT ON audit', audit],
])('rejects a user without the privilege %s, and says which to grant', async (privilege, message) => {
  const url = await createTables(`REVOKE ${privilege} FROM ${user}`);
  await expectRejection(open(asUser(url)), new RegExp(`(cannot|permission to|lacks) ${message}`));
});

it('lets a user with the documented privileges store, update and delete plants, and issue and revoke tokens', async () => {
  const [, grants = ''] =
    /^```sql\n(GRANT [\s\S]*?)^```$/m.exec(readPage('docs/operate/postgresql.md')) ?? [];
  const url = await createDatabase(serverUrl);
  await (await open(url)).close();
  await query(url, grants.replaceAll('plant_store', user));
  const { stores, accessTokens, check, close } = await open(asUser(url));
  await stores.plant.create([{ id: 1n, name: 'Fern' }]);
  const rename = { id: 1n, bytes: 4, replace: () => ({ id: 1n, name: 'Rose' }) };
  for (const change of [rename, removalOf<{ name: string }>(1n)])
    expect(await stores.plant.change([change])).toMatchObject([{ after: { id: 1n } }]);
  const token = { name: 'shop', hash: 'a', scopes, expiresAt: null };
  const { id } = await accessTokens.add(token, operator());
  await accessTokens.recordUses([{ id, at: new Date() }]);
  expect(await accessTokens.revoke(id, new Date(), operator())).toBeTruthy();
  await check();
  await close();
});

it('rejects a user who may not write to the write-ahead log, as a retry does', async () => {
  const url = await createTables(
    `DO $$ DECLARE emit regprocedure; BEGIN
       FOR emit IN SELECT oid FROM pg_proc WHERE proname = 'pg_logical_emit_message' LOOP
         EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', emit);
       END LOOP;
     END $$`,
    await createDatabase(serverUrl),
  );
  await expectRejection(open(asUser(url)), /cannot call pg_logical_emit_message, .* GRANT EXECUTE/);
});

describe('the schema', () => {
  const tablesIn = async (url: string, schema: string) => {
    const tables = 'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1';
    return (await query<{ table_name: string }>(url, tables, [schema])).map((row) => row.table_name);
  };

  it('of another program is rejected, and left unchanged', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, 'CREATE TABLE customers (id INTEGER)');
    await expectRejection(open(url), /its schema "public" belongs to another program\. Set DATABASE_URL/);
    expect(await tablesIn(url, 'public')).toEqual(['customers']);
  });

  it('that DATABASE_URL names is created and used, and no other', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, 'CREATE TABLE plants (customers TEXT)');
    for (const schema of ['garden', 'shop']) {
      const database = await open(`${url}?schema=${schema}`);
      expect(await database.stores.plant.create([{ id: 1n, name: schema }])).toMatchObject([
        { stored: true },
      ]);
      await database.accessTokens.add({ name: schema, hash: 'a', scopes, expiresAt: null }, operator());
      await database.check();
      await database.close();
    }
    expect(await tablesIn(url, 'garden')).toEqual([
      '_prisma_migrations',
      'access_tokens',
      'audit',
      'plants',
      'plants_change_base',
      'plants_history',
      'store',
    ]);
    expect(await tablesIn(url, 'public')).toEqual(['plants']);
    for (const schema of ['garden', 'shop']) {
      expect(await query(url, `SELECT name FROM ${schema}.plants`)).toEqual([{ name: schema }]);
      expect(await query(url, `SELECT name FROM ${schema}.access_tokens`)).toEqual([{ name: schema }]);
    }
  });

  it('may exist already, with a user who may not create another', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, `CREATE SCHEMA garden AUTHORIZATION ${user}`);
    const database = await open(`${asUser(url)}?schema=garden`);
    onTestFinished(() => database.close());
    expect(await database.stores.plant.create([{ id: 1n, name: 'Fern' }])).toMatchObject([{ stored: true }]);
  });
});

it('opens an up-to-date database as a user who may not migrate, while another program migrates or has locked the plants', async () => {
  const url = await createTables();
  await withConnection({ connectionString: shared }, async (other) => {
    const schema = new URL(url).searchParams.get('schema');
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(72707369)');
    await other.query(`LOCK TABLE ${schema}.plants IN EXCLUSIVE MODE`);
    const database = await open(asUser(url));
    expect(database.appliedMigrations).toEqual([]);
    await database.close();
  });
});
