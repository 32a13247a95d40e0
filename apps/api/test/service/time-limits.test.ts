import type { Server } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { expectError } from '../support/expect-error.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { openConnection } from '../support/send-raw.js';
import { until } from '../support/until.js';

const limits = {
  requestMs: 1_000,
  headersMs: 500,
  stalledMs: 10_000,
  keepAliveMs: 60_000,
  checkIntervalMs: 20,
};

/** Starts a server with only the app and short limits; returns its log lines too. */
async function start() {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const { app } = await openApp(log);
  const server = createServer(app, log, { limits });
  return { server, baseUrl: await listen(server), lines };
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

it('are the documented ones, and are checked every second', async () => {
  const { app } = await openApp();
  expect(createServer(app, silentLog)).toMatchObject({
    headersTimeout: 20_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  });
});

it('close a connection without a request, without a reply or a log line', async () => {
  const { baseUrl, lines } = await start();
  const connection = await openConnection(baseUrl);
  expect(await connection.readToEnd()).toBe('');
  expect(lines).toEqual([]);
});

it.each([
  ['that is the first on its connection', ''],
  ['that follows another', 'GET /nowhere HTTP/1.1\r\nHost: plants.example\r\n\r\n'],
])('end a request %s whose headers are incomplete, with a reply', async (_, before) => {
  const { baseUrl } = await start();
  const connection = await openConnection(baseUrl);
  connection.write(before);
  if (before !== '') expect(await connection.readReply()).toMatchObject({ status: 404 });
  connection.write('POST /plants HTTP/1.1\r\nHost: plants.example\r\n');
  expectError(await connection.readReply(), 'bad_request', 'The request took too long to arrive.');
  expect(await connection.readToEnd()).toBe('');
});

it('end a request that was answered before its body arrived, without a second reply', async () => {
  const { baseUrl, lines } = await start();
  const connection = await openConnection(baseUrl);
  connection.write('POST /plants HTTP/1.1\r\nHost: plants.example\r\nContent-Length: 100\r\n\r\n{');
  expectError(await connection.readReply(), 'missing_token', /./);
  expect(await connection.readToEnd()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ status: 401, msg: 'request' }]);
});

it('leave no connection open to a client that does not close it', async () => {
  const { server, baseUrl } = await start();
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.write('POST /plants HTTP/1.1\r\n');
  await new Promise((ended) => socket.once('end', ended).resume());
  expect(await countConnections(server)).toBe(1);
  await until(async () => (await countConnections(server)) === 0);
  socket.destroy();
});
