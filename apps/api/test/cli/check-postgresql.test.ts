import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { createTokenService } from '../../src/auth/token-service.js';
import { readMigrations } from '../../src/store/migrations.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { unusableLedgers } from '../support/database/unusable-ledgers.js';
import { examine, expectFound } from '../support/examine.js';
import { enableTls } from '../support/postgresql/enable-tls.js';
import { startPooler } from '../support/postgresql/start-pooler.js';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { createUser } from '../support/postgresql/use-connections.js';

const serverUrl = inject('postgresqlUrl');

let url = '';
let name = '';
beforeEach(async () => {
  url = await createDatabase(serverUrl);
  name = new URL(url).pathname.slice(1);
});

/** Creates the tables, and a token. */
async function fill(): Promise<void> {
  const database = await openTestDatabase({ url });
  await createTokenService(database.accessTokens).issue({ name: 'shop' });
  await database.close();
}

const checkDatabase = (DATABASE_URL = url) => examine({ DATABASE_URL });

it('finds nothing wrong with a store but what is set on the server', async () => {
  await fill();
  expectFound(await checkDatabase(), {
    database: /^ok: PostgreSQL database plants_\w+ on 127\.0\.0\.1:\d+$/,
    server: /^ok: PostgreSQL \d+\.\d+/,
    TLS: /^ok: not needed/,
    connections: /^ok: DATABASE_POOL_SIZE is 10 .* accepts \d+/,
    standby: /^ok: synchronous_commit is on/,
    migrations: 'ok: up to date',
    privileges: /^ok: /,
    'access tokens': 'ok: 1 valid',
    commit: /^(ok|warning): [\d.]+ ms/,
    // The server of the tests does not wait for its disk.
    durability: /^error: fsync is off/,
  });
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
});

it('applies no pending migrations, and reports them', async () => {
  const pending = readMigrations('postgresql').map((migration) => migration.name);
  expectFound(await checkDatabase(`${url}?schema=garden`), {
    migrations: new RegExp(`^warning: pending: ${pending.join(', ')}. Back up the database first`),
    ...Object.fromEntries(['privileges', 'access tokens', 'commit'].map((item) => [item, []])),
  });
  expect(await query(url, `SELECT nspname FROM pg_namespace WHERE nspname = 'garden'`)).toEqual([]);
});

it.each(unusableLedgers)('reports a database of %s', async (_, sql, message) => {
  await fill();
  await query(url, sql);
  expectFound(await checkDatabase(), { migrations: new RegExp(`^error: .*${message}`) });
});

it.each([
  ['a server that cannot be reached', { port: '1', password: 'secret' }, /^error: .*ECONNREFUSED/],
  ['an unreadable certificate', { search: '?sslrootcert=/nowhere/ca.pem' }, /^error: .*ENOENT.*ca\.pem/],
])('reports %s, without the password', async (_, change, database) => {
  const found = await checkDatabase(Object.assign(new URL(url), change).href);
  expectFound(found, { database });
  expect(found('configuration').join()).not.toContain('secret');
});

it('reports a read-only database', async () => {
  await fill();
  await query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  expectFound(await checkDatabase(), { server: /^error: transactions are read-only/ });
});

it('reports missing privileges, one after the other', async () => {
  const visitor = await createUser(url);
  const { username } = new URL(visitor);
  await fill();
  const mayNotUpdate =
    'warning: the user lacks the UPDATE privilege on plants, so records cannot be updated or deleted.';
  for (const [granted, expected, item = 'privileges'] of [
    ['SELECT ON _prisma_migrations', 'error: permission denied for table access_tokens', 'access tokens'],
    ['SELECT ON access_tokens', /^error: .* GRANT SELECT, INSERT ON audit/],
    ['SELECT, INSERT ON audit', /^error: .* GRANT SELECT, INSERT, DELETE ON plants_history/],
    [
      'SELECT, INSERT ON plants_history',
      /^error: .* does not have permission to SELECT, INSERT and DELETE plants_history/,
    ],
    ['DELETE ON plants_history', /^error: .*permission denied .* GRANT SELECT and INSERT on it/],
    ['SELECT, INSERT ON plants', /^error: .* access_tokens \(INSERT, UPDATE, USAGE on its sequence\)/],
    ['INSERT, UPDATE ON access_tokens', /^error: /],
    ['USAGE ON SEQUENCE access_tokens_id_seq', /^error: .* lacks .*SELECT on plants_change_base/],
    ['SELECT ON plants_change_base', /^error: .* or SELECT or UPDATE on the store table/],
    ['SELECT, UPDATE ON store', `${mayNotUpdate} Grant the user UPDATE on plants.`],
    ['UPDATE ON plants', 'ok: all privileges on the tables are granted'],
  ] as const) {
    await query(url, `GRANT ${granted} TO ${username}`);
    expectFound(await checkDatabase(visitor), { [item]: expected });
  }
});

it('reports a table that was changed', async () => {
  await fill();
  await query(url, 'ALTER TABLE plants SET UNLOGGED');
  // The items after it work all the same.
  expectFound(await checkDatabase(), { privileges: /it is unlogged/, commit: /^(ok|warning): [\d.]+ ms/ });
});

it('warns of more connections than the server accepts', async () => {
  await query(url, `ALTER DATABASE ${name} CONNECTION LIMIT 9`);
  const connections = /^warning: DATABASE_POOL_SIZE is 10 .* accepts 9 .*Lower DATABASE_POOL_SIZE to 9/;
  expectFound(await checkDatabase(), { connections });
});

it('counts the connections and standbys of others, as an ordinary user', async () => {
  const visitor = await createUser(url);
  // As a standby or pg_receivewal connects.
  const replication = { connectionString: url, replication: 'database' };
  const others = [replication, ...Array(9).fill(url)].map((config) => new pg.Client(config));
  onTestFinished(async () => void (await Promise.all(others.map((client) => client.end()))));
  await Promise.all(others.map((client) => client.connect()));
  const found = await checkDatabase(visitor);
  expectFound(found, { standby: /^warning: .*; 1 standby or backup receives the log/ });
  expect(Number(/, and (\d+) are in use$/.exec(found('connections').join())?.[1])).toBeGreaterThan(9);
});

it('reports a connection that is encrypted', async () => {
  await enableTls(serverUrl);
  const TLS = 'ok: the connection to 127.0.0.1 is encrypted (sslmode=require)';
  expectFound(await checkDatabase(`${url}?sslmode=require`), { TLS });
});

it.each([
  [true, /^ok: .*, behind a pooler in transaction mode$/],
  [false, /^error: .* does not support prepared statements/],
])('recognizes a pooler, and one that the service cannot use: tracks statements %s', async (...expected) => {
  const [tracksStatements, database] = expected;
  const pooledUrl = await startPooler(url, tracksStatements);
  expectFound(await checkDatabase(pooledUrl), { database });
});

it('reports a server that answers no more, and ends', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  const settings = { DATABASE_URL: proxiedUrl, DATABASE_STATEMENT_TIMEOUT_MS: '500' };
  proxy.freezeAnswersTo('synchronous_standby_names');
  expectFound(await examine(settings), { server: /^ok: /, standby: 'error: Query read timeout' });
  proxy.freezeAnswersTo('plant_store_probe');
  expectFound(await examine(settings), { database: /Query read timeout/ });
});
