import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { until } from '../../../test/support/until.js';
import { OperatorError } from '../../errors/operator-error.js';
import type { PostgresqlTimeouts } from '../database-location.js';
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
const open = (url: string, timeouts: Partial<PostgresqlTimeouts> = {}) =>
  openTestDatabase({ url }, {}, timeouts);

/** Creates the tables in a new schema of a database, in which that user may do what the service does, and changes them. */
async function createTables(change = '', database = shared): Promise<string> {
  const schema = `schema_${randomInt(2 ** 40)}`;
  const url = `${database}?schema=${schema}`;
  await (await open(url)).close();
  await query(
    database,
    `SET search_path = ${schema}; GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT INSERT ON plants TO ${user};
     GRANT SELECT ON _prisma_migrations, access_tokens, plants TO ${user}; ${change}`,
  );
  return url;
}

async function expectRejection(opening: Promise<unknown>, message: RegExp): Promise<void> {
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(message);
}

describe('rejects, saying what to do and never quoting the password,', () => {
  it.each<[string, (url: string) => string | Promise<string>, RegExp, Partial<PostgresqlTimeouts>?]>([
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
    ['no server', (url) => asUser(url).replace(/:\d+\//, ':1/'), /ECONNREFUSED.*\nSet DATABASE_URL to /],
    [
      'a server that does not answer',
      (url) => asUser(url).replace(/:\d+\//, `:${silentPort}/`),
      /timeout.*\nSet /,
      { startConnectMs: 200 },
    ],
    [
      'a database that does not exist',
      (url) => asUser(url).replace(/\/\w+$/, '/nowhere'),
      /^The database nowhere on .+: database "nowhere" does not exist\nSet DATABASE_URL to /,
    ],
    [
      'a user who may not create tables',
      asUser,
      /permission denied.*\nSet DATABASE_URL to .* a user who may create tables in it/,
    ],
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
      /its encoding is LATIN1, and plants need UTF8\. Create one with ENCODING 'UTF8' TEMPLATE template0\./,
    ],
  ])('%s', async (_, urlOf, message, timeouts) => {
    const url = await urlOf(shared);
    const error: unknown = await open(url, timeouts).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperatorError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(inspect(error, { depth: null })).not.toContain(new URL(url).password);
  });

  // It would keep the process running.
  it('and leaves no connection open to a server that does not answer', async () => {
    accepted = 0;
    const silentUrl = asUser(`${serverUrl}/plants`).replace(/:\d+\//, `:${silentPort}/`);
    await expect(open(silentUrl, { startConnectMs: 200 })).rejects.toBeInstanceOf(OperatorError);
    await until(() => accepted > 0 && connectionsOfSilent.size === 0);
  });

  let silentPort = 0;
  let accepted = 0;
  const connectionsOfSilent = new Set<Socket>();
  beforeAll(async () => {
    const silent = createServer((socket) => {
      accepted++;
      connectionsOfSilent.add(socket);
      socket.on('error', () => undefined).on('close', () => connectionsOfSilent.delete(socket));
      socket.resume();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    silentPort = (silent.address() as AddressInfo).port;
    return () => void silent.close();
  });
});

describe('rejects a table of plants that differs from the migrations:', () => {
  it.each([
    ['without a key', 'ALTER TABLE plants DROP CONSTRAINT plants_pkey', /its id has no primary key/],
    [
      'with a deferrable key',
      'ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id) DEFERRABLE',
      /its id has no primary key or other unique index that ON CONFLICT can use/,
    ],
    ['that a crash empties', 'ALTER TABLE plants SET UNLOGGED', /it is unlogged/],
    ['that is missing', 'DROP TABLE plants', /it does not exist/],
    ['without a column', 'ALTER TABLE plants DROP COLUMN tag', /column "tag" .* does not exist \(42703\)/],
    [
      'with a column of another type',
      'ALTER TABLE plants ALTER COLUMN tag TYPE integer USING NULL',
      /column "tag" is of type integer .* \(42804\)/,
    ],
    [
      'that the user may not change',
      `REVOKE INSERT ON plants FROM ${user}`,
      /permission denied .* \(42501\)/,
    ],
  ])('%s', async (_, change, message) => {
    const opening = open(asUser(await createTables(change)));
    await expectRejection(opening, /^The database cannot be used: its table plants does not fit/);
    await expectRejection(opening, message);
  });
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
  await expectRejection(open(asUser(url)), /may not call pg_logical_emit_message, .* GRANT EXECUTE/);
});

describe('the schema', () => {
  const tablesIn = (url: string, schema: string) =>
    query<{ table: string }>(
      url,
      'SELECT table_name AS table FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
      [schema],
    ).then((rows) => rows.map(({ table }) => table));
  const ours = ['_prisma_migrations', 'access_tokens', 'plants'];

  it('of another program is rejected, and left unchanged', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, 'CREATE TABLE customers (id INTEGER)');
    await expectRejection(open(url), /its schema "public" belongs to another program\. Set DATABASE_URL/);
    expect(await tablesIn(url, 'public')).toEqual(['customers']);
  });

  it('that DATABASE_URL names is created and used, and no other', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, 'CREATE TABLE plants (customers TEXT)');
    for (const [schema, name] of [
      ['garden', 'Fern'],
      ['shop', 'Monstera'],
    ] as const) {
      const database = await open(`${url}?schema=${schema}`);
      expect(await database.plants.create([{ id: 1n, name }])).toEqual([{ stored: true }]);
      await database.accessTokens.add({ name, hash: 'a', scopes, expiresAt: null });
      await database.check();
      await database.close();
    }
    expect(await tablesIn(url, 'garden')).toEqual(ours);
    expect(await tablesIn(url, 'public')).toEqual(['plants']);
    expect(await query(url, 'SELECT name FROM garden.plants')).toEqual([{ name: 'Fern' }]);
    expect(await query(url, 'SELECT name FROM shop.plants')).toEqual([{ name: 'Monstera' }]);
    expect(await query(url, 'SELECT name FROM garden.access_tokens')).toEqual([{ name: 'Fern' }]);
  });

  it('may exist already, with a user who may not create another', async () => {
    const url = await createDatabase(serverUrl);
    await query(url, `CREATE SCHEMA garden AUTHORIZATION ${user}`);
    const database = await open(`${asUser(url)}?schema=garden`);
    onTestFinished(() => database.close());
    expect(await database.plants.create([{ id: 1n, name: 'Fern' }])).toEqual([{ stored: true }]);
  });

  it('does not need a user who may create tables once it is up to date', async () => {
    const database = await open(asUser(await createTables()));
    onTestFinished(() => database.close());
    expect(database.appliedMigrations).toEqual([]);
    expect(await database.plants.create([{ id: 1n, name: 'Fern' }])).toEqual([{ stored: true }]);
  });
});

it('opens a database that is up to date while another program migrates, or has locked the plants', async () => {
  const url = await createTables();
  await withConnection({ connectionString: shared }, async (other) => {
    const schema = new URL(url).searchParams.get('schema');
    await other.query(
      `BEGIN; SELECT pg_advisory_xact_lock(72707369); LOCK TABLE ${schema}.plants IN EXCLUSIVE MODE`,
    );
    await (await open(url)).close();
  });
});
