import { connect as connectTo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createDatabase } from '@plant-store/postgresql-server';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { recordLog } from '../../../test/support/database/record-log.js';
import { examine } from '../../../test/support/examine.js';
import { listen } from '../../../test/support/listen.js';
import { certificate } from '../../../test/support/postgresql/enable-tls.js';
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

/** Starts a proxy for the database that decides about the first message of each connection, and returns the URL of the proxy. */
async function startFront(decide: (first: Buffer, client: Socket) => 'pass' | 'refused'): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    client.once('data', (first: Buffer) => {
      if (decide(first, client) === 'refused') return;
      const upstream = connectTo(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      sockets.add(upstream);
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    });
  });
  const { port } = new URL(await listen(server));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
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
    if (first.readUInt32BE(4) !== tlsRequest) return 'pass';
    requests++;
    void reply(client);
    return 'refused';
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
    return 'refused';
  });
  const opened = openTestDatabase({ url: `${front}?sslmode=${mode}` });
  await expect(opened).rejects.toThrow('does not support SSL connections');
  expect(withoutTls).toBe(0);
});

const reason = 'unsupported startup parameter in options: statement_timeout. Please use unpooled connection';
const rejectOptions = (first: Buffer, client: Socket) => {
  if (!first.includes('options\0')) return 'pass' as const;
  refuse(client, '08P01', reason);
  return 'refused' as const;
};

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
  const front = await startFront((_, client) => {
    refuse(client, '08P01', 'unsupported startup parameter: options');
    return 'refused';
  });
  await expect(openTestDatabase({ url: front })).rejects.toThrow(
    /: unsupported startup parameter: options\nThere is a pooler .*\(PgBouncer: ignore_startup_parameters = options\)/,
  );
});

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
