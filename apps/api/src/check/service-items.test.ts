import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../config.js';
import { exposure } from './exposure.js';
import { ports } from './ports.js';
import { assessNodeVersion } from './runtime.js';

async function listenWith(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

it.each([
  ['127.0.0.1', 'ok'],
  ['127.1.2.3', 'ok'],
  ['::1', 'ok'],
  ['localhost', 'ok'],
  ['0.0.0.0', 'warning'],
  ['::', 'warning'],
  ['plants.example.com', 'warning'],
])('knows whether other machines reach %s: %s', (host, status) => {
  expect(exposure.inspect({ config: parseConfig({ HOST: host }, '/') })).toMatchObject([{ status }]);
});

it('warns of an admin port that other machines reach', () => {
  const config = parseConfig({ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' }, '/');
  expect(exposure.inspect({ config })).toMatchObject([
    { status: 'ok' },
    { status: 'warning', found: expect.stringContaining('ADMIN_HOST 0.0.0.0') },
  ]);
});

it('warns of a line of Node.js that is not supported for long, and throws for one that is too old', () => {
  expect(assessNodeVersion('26.10.0')).toMatchObject({ status: 'ok' });
  expect(assessNodeVersion('25.1.0')).toMatchObject({ status: 'warning' });
  expect(() => assessNodeVersion('22.13.0')).toThrow('Node.js 22.13.0 is too old');
});

it('reports another program that has a port, whatever it replies', async () => {
  const port = await listenWith((_, response) => response.end('[null]'));
  const adminPort = await listenWith((request) => request.destroy());
  const config = parseConfig({ PORT: port, ADMIN_PORT: adminPort }, '/');
  expect(await ports.inspect({ config })).toEqual([
    { status: 'error', found: expect.stringContaining(`The port ${port} on 127.0.0.1 is taken.`) },
    { status: 'error', found: expect.stringMatching(/is taken\..* set ADMIN_PORT to another one/) },
  ]);
});

it('warns of a running Plant Store that is not ready, or warns itself', async () => {
  const replies = [
    '{"status":"unavailable","reason":"database_unavailable"}',
    '{"status":"ready","warnings":["The disk is slow"]}',
  ];
  const port = await listenWith((_, response) => response.end(replies.shift()));
  const inspect = async () => ports.inspect({ config: parseConfig({ PORT: '0', ADMIN_PORT: port }, '/') });
  expect(await inspect()).toMatchObject([
    {},
    { status: 'warning', found: expect.stringContaining('not ready: database_unavailable') },
  ]);
  expect(await inspect()).toMatchObject([
    {},
    { status: 'warning', found: expect.stringContaining('warns: The disk is slow') },
  ]);
});

it('reports an address of another machine', async () => {
  const config = parseConfig({ HOST: '192.0.2.1', PORT: '0' }, '/');
  expect(await ports.inspect({ config })).toMatchObject([
    { status: 'error', found: expect.stringContaining('192.0.2.1 is not an address of this machine') },
  ]);
});
