import { createDatabase } from '@plant-store/postgresql-server';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { examine } from '../support/examine.js';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { createUser } from '../support/postgresql/use-connections.js';
import { startCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('counts the connections and standbys of others, as an ordinary user', async () => {
  const url = await createDatabase(inject('postgresqlUrl'));
  const visitor = await createUser(url);
  const others = Array.from({ length: 9 }, () => new pg.Client({ connectionString: url }));
  // As a standby or pg_receivewal connects.
  const replication: pg.ClientConfig & { replication: string } = {
    connectionString: url,
    replication: 'database',
  };
  const receiver = new pg.Client(replication);
  onTestFinished(async () => void (await Promise.all([...others, receiver].map((client) => client.end()))));
  await Promise.all([...others, receiver].map((client) => client.connect()));
  const found = await examine({ DATABASE_URL: visitor });
  expect(found('standby')).toEqual([
    expect.stringMatching(/^warning: .* and 1 standby or backup receives the log/),
  ]);
  const [, used] = /, (\d+) in use$/.exec(found('connections').join()) ?? [];
  expect(Number(used)).toBeGreaterThan(others.length);
});

it('reports a server that answers no more, and ends', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  const settings = { DATABASE_URL: proxiedUrl, DATABASE_STATEMENT_TIMEOUT_MS: '500' };
  proxy.freezeAnswersTo('synchronous_standby_names');
  const found = await examine(settings);
  expect(found('server')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(found('standby')).toEqual(['error: Query read timeout']);
  proxy.freezeAnswersTo('plant_store_probe');
  expect((await examine(settings))('database')).toEqual([expect.stringContaining('Query read timeout')]);
});

it('prints each finding as it is made', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  proxy.freezeAnswersTo('plant_store_probe');
  const environment = { PORT: '0', DATABASE_URL: proxiedUrl, DATABASE_STATEMENT_TIMEOUT_MS: '10000000' };
  const command = startCommand(['check'], { folder: temporaryFolder(), environment });
  await command.waitFor(/^ok +exposure: /m);
  await command.end('SIGKILL');
});
