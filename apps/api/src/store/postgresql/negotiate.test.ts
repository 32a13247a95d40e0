import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { beforeEach, expect, inject, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { recordLog } from '../../../test/support/database/record-log.js';
import { examine } from '../../../test/support/examine.js';
import { certificate } from '../../../test/support/postgresql/enable-tls.js';
import { type OnFirst, startProxy } from '../../../test/support/postgresql/start-proxy.js';
import { parseConfig } from '../../config.js';
import { openDatabase } from '../open-database.js';
import { connectionSettings, withConnection } from './connection.js';

let url = '';
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

const plant = { id: 1n, name: 'Monstera' };

/** The code of a request for TLS, in place of a version (PostgreSQL, "Message Formats"). */
const tlsRequest = 80_877_103;

/** An error that ends a connection. */
function refuse(client: Socket, code: string, message: string): void {
  const fields = Buffer.from(['SFATAL', `C${code}`, `M${message}`, '', ''].join('\0'));
  const head = Buffer.from('E\0\0\0\0');
  head.writeUInt32BE(4 + fields.length, 1);
  client.end(Buffer.concat([head, fields]));
}

/** Starts a proxy for the database, and returns the URL of the proxy. */
async function startFront(onFirst: OnFirst): Promise<string> {
  const { port } = await startProxy(Number(new URL(url).port), onFirst);
  return Object.assign(new URL(url), { port }).href;
}

it.each([
  ['has no TLS', (client: Socket) => void client.end('N')],
  [
    'accepts this user only without TLS',
    (client: Socket) => {
      client.write('S');
      const encrypted = new TLSSocket(client, { isServer: true, ...certificate });
      const message = 'no pg_hba.conf entry for host "::1", user "u", database "d", SSL encryption';
      encrypted.on('error', () => undefined).once('data', () => refuse(encrypted, '28000', message));
    },
  ],
])('connects without TLS with sslmode=prefer if the server %s', async (_, reply) => {
  let requests = 0;
  const front = await startFront((first, client) => {
    if (first.readUInt32BE(4) !== tlsRequest) return first;
    requests++;
    return void reply(client);
  });
  const database = await openTestDatabase({ url: `${front}?sslmode=prefer` });
  expect(await database.stores.plant.create([plant])).toEqual([
    { stored: true, addedAt: expect.any(Number) },
  ]);
  await database.close();
  expect(requests).toBe(1);
});

it.each(['require', 'verify-full'])('never connects without TLS by sslmode=%s', async (mode) => {
  let withoutTls = 0;
  const front = await startFront((first, client) => {
    if (first.readUInt32BE(4) === tlsRequest) client.end('N');
    else withoutTls++;
    return undefined;
  });
  const opened = openTestDatabase({ url: `${front}?sslmode=${mode}` });
  await expect(opened).rejects.toThrow('does not support SSL connections');
  expect(withoutTls).toBe(0);
});

const reason = 'unsupported startup parameter in options: statement_timeout. Please use unpooled connection';
const rejectOptions: OnFirst = (first, client) =>
  first.includes('options\0') ? void refuse(client, '08P01', reason) : first;

it("connects without settings, and warns once, if a provider's pooler rejects them", async () => {
  const front = await startFront(rejectOptions);
  const { log, lines } = recordLog();
  const database = await openDatabase(parseConfig({ DATABASE_URL: front }, '/').database, { log });
  expect(await database.stores.plant.create([plant])).toEqual([
    { stored: true, addedAt: expect.any(Number) },
  ]);
  await database.close();
  expect(lines.filter((line) => line.includes('rejects statement_timeout'))).toHaveLength(1);
  const found = (await examine({ DATABASE_URL: front }))('database');
  expect(found).toEqual([expect.stringMatching(/^ok: /), expect.stringMatching(/^warning: .*ALTER ROLE/)]);
});

it('does not start behind such a pooler with another schema, because tables would be in the wrong one', async () => {
  const front = await startFront(rejectOptions);
  await expect(openTestDatabase({ url: `${front}?schema=garden` })).rejects.toThrow(
    /unsupported startup parameter in options.*\n.*Neon: the host without -pooler/,
  );
});

it('reports what to set where a pooler rejects all settings of a connection', async () => {
  const front = await startFront(
    (_, client) => void refuse(client, '08P01', 'unsupported startup parameter: options'),
  );
  await expect(openTestDatabase({ url: front })).rejects.toThrow(
    /: unsupported startup parameter: options\nA pooler rejected .*\(PgBouncer: ignore_startup_parameters = options\)/,
  );
});

it('does not start behind a pooler that drops the settings, unless the user has these', async () => {
  const front = await startFront(withoutOptions);
  const open = () => openTestDatabase({ url: `${front}?schema=garden` });
  await expect(open()).rejects.toThrow(
    /its tables would be in the schema "public", not in "garden"\. .* ALTER ROLE … SET search_path = garden/,
  );
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = garden`);
  const database = await open();
  expect(await database.stores.plant.create([plant])).toMatchObject([{ stored: true }]);
  await database.close();
  expect(await query(url, 'SELECT name FROM garden.plants')).toEqual([{ name: 'Monstera' }]);
});

/** Removes the parameter `options` from a startup message. */
function withoutOptions(startup: Buffer): Buffer {
  const parts = startup.toString('latin1', 8).split('\0');
  const index = parts.indexOf('options');
  if (index >= 0) parts.splice(index, 2);
  const content = Buffer.from(parts.join('\0'), 'latin1');
  const message = Buffer.concat([startup.subarray(0, 8), content]);
  message.writeUInt32BE(message.length, 0);
  return message;
}

it('passes on the options of the URI, before those of the service', async () => {
  const options = '-c geqo_threshold=7 -c statement_timeout=1 -c search_path=garden';
  const withOptions = `${url}?options=${encodeURIComponent(options)}`;
  const location = parseConfig({ DATABASE_URL: withOptions }, '/').database;
  const settings = location.engine === 'postgresql' ? connectionSettings(location, 1_000) : {};
  const rows = await withConnection(settings, async (connection) => {
    const names = `'geqo_threshold', 'search_path', 'statement_timeout'`;
    const found = await connection.query(
      `SELECT setting FROM pg_settings WHERE name IN (${names}) ORDER BY name`,
    );
    return found.rows;
  });
  expect(rows).toEqual([{ setting: '7' }, { setting: 'garden' }, { setting: '5000' }]);
});
