import { createDatabase, query } from '@plant-store/postgresql-server';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { createTokenService } from '../../src/auth/token-service.js';
import { readMigrations } from '../../src/store/migrations.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { unusableLedgers } from '../support/database/unusable-ledgers.js';
import { examine } from '../support/examine.js';
import { enableTls } from '../support/postgresql/enable-tls.js';
import { startPooler } from '../support/postgresql/start-pooler.js';
import { startWithStandby } from '../support/postgresql/start-with-standby.js';
import { createUser } from '../support/postgresql/use-connections.js';

const serverUrl = inject('postgresqlUrl');
const migrations = readMigrations('postgresql').map(({ name }) => name);

let url = '';
beforeEach(async () => {
  url = await createDatabase(serverUrl);
});
const nameOf = () => new URL(url).pathname.slice(1);

/** Creates the tables, and a token. */
async function fill(): Promise<void> {
  const database = await openTestDatabase({ url });
  await createTokenService(database.accessTokens).issue({ name: 'shop' });
  await database.close();
}

it('finds nothing wrong with a store but what is set on the server', async () => {
  await fill();
  const found = await examine({ DATABASE_URL: url });
  expect(found('database')).toEqual([
    expect.stringMatching(/^ok: PostgreSQL database plants_\w+ on 127\.0\.0\.1:\d+$/),
  ]);
  expect(found('server')).toEqual([expect.stringMatching(/^ok: PostgreSQL \d+\.\d+/)]);
  expect(found('TLS')).toEqual([expect.stringMatching(/^ok: not needed/)]);
  expect(found('connections')).toEqual([expect.stringMatching(/^ok: DATABASE_POOL_SIZE 10 .* of \d+/)]);
  expect(found('standby')).toEqual([expect.stringMatching(/^ok: synchronous_commit is on/)]);
  expect(found('migrations')).toEqual(['ok: up to date']);
  expect(found('privileges')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(found('access tokens')).toEqual(['ok: 1 valid']);
  expect(found('write')).toEqual(['ok: a plant can be inserted; it was rolled back']);
  expect(found('commit')).toEqual([expect.stringMatching(/^(ok|warning): [\d.]+ ms/)]);
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
  // The server of the tests does not wait for its disk.
  expect(found('durability')).toEqual([expect.stringMatching(/^error: fsync is off/)]);
});

it('applies no pending migrations, and reports them', async () => {
  const found = await examine({ DATABASE_URL: `${url}?schema=garden` });
  expect(found('migrations')).toEqual([
    expect.stringContaining(`warning: pending: ${migrations.join(', ')}. serve applies`),
  ]);
  for (const item of ['privileges', 'access tokens', 'write', 'commit']) expect(found(item)).toEqual([]);
  expect(await query(url, `SELECT nspname FROM pg_namespace WHERE nspname = 'garden'`)).toEqual([]);
});

it.each(unusableLedgers)('reports a database of %s', async (_, sql, message) => {
  await fill();
  await query(url, sql);
  const found = await examine({ DATABASE_URL: url });
  expect(found('migrations')).toEqual([expect.stringMatching(/^error: /)]);
  expect(found('migrations')[0]).toContain(message);
});

it('reports a database in another encoding', async () => {
  const name = `${nameOf()}_latin1`;
  await query(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  const found = await examine({ DATABASE_URL: url.replace(nameOf(), name) });
  expect(found('migrations')).toEqual([
    expect.stringContaining('error: The database cannot be used: its encoding is LATIN1'),
  ]);
});

it('reports a server that cannot be reached, without the password', async () => {
  const away = Object.assign(new URL(url), { port: '1', password: 'secret' }).href;
  const found = await examine({ DATABASE_URL: away });
  expect(found('database')).toEqual([expect.stringMatching(/^error: .*ECONNREFUSED/)]);
  expect(found('configuration').join()).not.toContain('secret');
});

it('reports a certificate that cannot be read', async () => {
  const found = await examine({ DATABASE_URL: `${url}?sslrootcert=/nowhere/ca.pem` });
  expect(found('database')).toEqual([expect.stringMatching(/^error: .*ENOENT.*ca\.pem/)]);
});

it('reports a read-only database', async () => {
  await fill();
  await query(url, `ALTER DATABASE ${nameOf()} SET default_transaction_read_only = on`);
  const found = await examine({ DATABASE_URL: url });
  expect(found('server')).toEqual([expect.stringContaining('error: transactions are read-only')]);
  expect(found('write')).toEqual([expect.stringMatching(/^error: .*read-only transaction/)]);
});

it('reports missing privileges', async () => {
  const visitor = await createUser(url);
  const mayNotCreate = await examine({ DATABASE_URL: visitor });
  expect(mayNotCreate('migrations')).toEqual([
    expect.stringMatching(/^error: pending: .* may not create tables in the schema public/),
  ]);
  await fill();
  const { username } = new URL(visitor);
  await query(url, `GRANT SELECT ON _prisma_migrations TO ${username}`);
  expect((await examine({ DATABASE_URL: visitor }))('access tokens')).toEqual([
    'error: permission denied for table access_tokens',
  ]);
  await query(url, `GRANT SELECT ON access_tokens TO ${username}`);
  expect((await examine({ DATABASE_URL: visitor }))('privileges')).toEqual([
    expect.stringMatching(/^error: .* permission denied .* GRANT SELECT and INSERT on it to the user/),
  ]);
  await query(url, `GRANT SELECT, INSERT ON plants TO ${username}`);
  expect((await examine({ DATABASE_URL: visitor }))('privileges')).toEqual([
    expect.stringContaining('error: the user may not INSERT, UPDATE, use the sequence of access_tokens'),
  ]);
  await query(url, `GRANT INSERT, UPDATE ON access_tokens TO ${username}`);
  await query(url, `GRANT USAGE ON SEQUENCE access_tokens_id_seq TO ${username}`);
  expect((await examine({ DATABASE_URL: visitor }))('privileges')).toEqual([
    'warning: the user may not UPDATE plants, so none can be deleted. GRANT UPDATE ON plants to the user.',
  ]);
  await query(url, `GRANT UPDATE ON plants TO ${username}`);
  expect((await examine({ DATABASE_URL: visitor }))('privileges')).toEqual([
    'ok: those on plants and access_tokens are granted',
  ]);
});

it('reports a table that was changed, and one that rejects every plant', async () => {
  await fill();
  await query(url, 'ALTER TABLE plants SET UNLOGGED');
  expect((await examine({ DATABASE_URL: url }))('privileges')).toEqual([
    expect.stringContaining('it is unlogged'),
  ]);
  await query(url, 'ALTER TABLE plants SET LOGGED');
  await query(
    url,
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END$$`,
  );
  await query(url, 'CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fail()');
  const found = await examine({ DATABASE_URL: url });
  expect(found('write')).toEqual([
    expect.stringContaining('error: a plant cannot be inserted: invalid page'),
  ]);
  // The items after it work all the same.
  expect(found('commit')).toEqual([expect.stringMatching(/^(ok|warning): [\d.]+ ms/)]);
});

it('warns of more connections than the server accepts', async () => {
  await query(url, `ALTER DATABASE ${nameOf()} CONNECTION LIMIT 9`);
  expect((await examine({ DATABASE_URL: url }))('connections')).toEqual([
    expect.stringMatching(/^warning: DATABASE_POOL_SIZE 10 .* of 9 .*Lower DATABASE_POOL_SIZE to 9/),
  ]);
});

it('reports a connection that is encrypted', async () => {
  await enableTls(serverUrl);
  expect((await examine({ DATABASE_URL: `${url}?sslmode=require` }))('TLS')).toEqual([
    'ok: the connection to 127.0.0.1 is encrypted (sslmode=require)',
  ]);
});

it('recognizes a pooler in transaction mode, and reports one that the service cannot use', async () => {
  await fill();
  const behind = async (behaviour: { readonly tracksStatements: boolean }) => {
    const pooler = await startPooler(url, { poolsTransactions: true, ...behaviour });
    onTestFinished(() => pooler.stop());
    return examine({ DATABASE_URL: pooler.url });
  };
  const usable = await behind({ tracksStatements: true });
  expect(usable('database')).toEqual([
    expect.stringMatching(/^ok: .*, behind a pooler in transaction mode$/),
  ]);
  expect(usable('write')).toEqual([expect.stringMatching(/^ok: /)]);
  const unusable = await behind({ tracksStatements: false });
  expect(unusable('database')).toEqual([
    expect.stringMatching(/^error: .* does not support prepared statements/),
  ]);
});

it('reports commits that wait for a standby that is missing, and a server that waits for its disk', async () => {
  const server = await startWithStandby();
  onTestFinished(() => server.remove());
  url = server.url;
  await fill();
  const settings = { DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT_MS: '300' };
  expect((await examine(settings))('durability')).toEqual(['ok: fsync and full_page_writes are on']);
  await server.loseStandby();
  const found = await examine(settings);
  expect(found('standby')).toEqual([expect.stringContaining('synchronous_standby_names is "missing"')]);
  expect(found('commit')).toEqual([
    expect.stringMatching(/^error: a commit is not acknowledged: Query read timeout/),
  ]);
  await server.restoreStandby();
});
