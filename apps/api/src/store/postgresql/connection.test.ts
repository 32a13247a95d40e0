import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { beforeAll, expect, inject, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enableTls } from '../../../test/support/postgresql/enable-tls.js';
import { createDatabaseBehindProxy } from '../../../test/support/postgresql/start-proxy.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { OperatorError } from '../../errors/operator-error.js';

const file = join(temporaryFolder(), 'ca.pem');
const ca = encodeURIComponent(file);
let url = '';
beforeAll(async () => {
  writeFileSync(file, await enableTls(inject('postgresqlUrl')));
  url = await createDatabase(inject('postgresqlUrl'));
});

/** Opens the database, stores a plant, and returns for each connection of the service whether it is encrypted. */
async function findEncryption(parameters: string, host = '127.0.0.1'): Promise<readonly boolean[]> {
  const database = await openTestDatabase({ url: `${url.replace('127.0.0.1', host)}?${parameters}` });
  await database.stores.plant.create([{ id: 1n, name: 'Monstera' }]);
  const rows = await query<{ ssl: boolean }>(
    url,
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE datname = current_database() AND application_name = 'plant-store'`,
  );
  await database.close();
  return rows.map(({ ssl }) => ssl);
}

it.each([
  ['no TLS by default', '', '127.0.0.1', false],
  ['no TLS', 'sslmode=disable', '127.0.0.1', false],
  ['TLS if the server has it', 'sslmode=prefer', 'localhost', true],
  ['TLS with any certificate', 'sslmode=require', 'localhost', true],
  ['TLS with a certificate of the CA for any host', 'sslmode=verify-ca&sslrootcert=CA', 'localhost', true],
  ['TLS with a certificate of the CA for the host', 'sslmode=verify-full&sslrootcert=CA', '127.0.0.1', true],
  ['TLS as with verify-full, given only the CA', 'sslrootcert=CA', '127.0.0.1', true],
])('has %s: %s on %s', async (_, parameters, host, encrypted) => {
  const encryption = await findEncryption(parameters.replace('CA', ca), host);
  expect(new Set(encryption)).toEqual(new Set([encrypted]));
});

it.each([
  ['a certificate of an unknown CA', 'sslmode=verify-full', '127.0.0.1', /self-signed certificate/],
  ['a certificate for another host', 'sslmode=verify-full&sslrootcert=CA', 'localhost', /does not match/],
  ['a certificate for another host', 'sslrootcert=CA', 'localhost', /does not match/],
  ['a CA file that does not exist', 'sslrootcert=nowhere.pem', '127.0.0.1', /nowhere\.pem/],
])('rejects %s: %s on %s', async (_, parameters, host, message) => {
  const opening = findEncryption(parameters.replace('CA', ca), host);
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(message);
});

it('lets a service start while its server is slow to accept a connection', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  proxy.freeze();
  const connectMs = 200;
  const opening = openTestDatabase({ url: proxiedUrl }, {}, { connectMs });
  await sleep(2 * connectMs);
  proxy.thaw();
  const database = await opening;
  // Each of its connections has that short time.
  await expect.poll(() => database.check().catch(String)).toBeUndefined();
  await database.close();
});
