import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { expectError } from '../support/expect-error.js';
import { listen } from '../support/listen.js';
import { openApp, silentLog } from '../support/open-app.js';
import { openConnection } from '../support/send-raw.js';
import { until } from '../support/until.js';
import { viewerPaths } from '../support/viewer-files.js';

const limits = { requestMs: 1_000, headersMs: 500, stalledMs: 1e4, keepAliveMs: 6e4, checkIntervalMs: 20 };

/** Starts a server with only the app and short limits; returns its log lines too. */
async function start() {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const { app } = await openApp(log);
  const server = createServer(app, log, { limits });
  return { server, baseUrl: await listen(server), lines };
}

const countConnections = (server: Server) => promisify(server.getConnections.bind(server))();

it('have the documented time limits, which are checked every second', async () => {
  const { app } = await openApp();
  expect(createServer(app, silentLog)).toMatchObject({
    headersTimeout: 20_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  });
});

it('without a request end without a reply or a log line', async () => {
  const { baseUrl, lines } = await start();
  const connection = await openConnection(baseUrl);
  expect(await connection.readToEnd()).toBe('');
  expect(lines).toEqual([]);
});

it.each([
  ['the first on its connection', ''],
  ['behind another', 'GET /nowhere HTTP/1.1\r\nHost: plants.example\r\n\r\n'],
])('with a request whose headers are incomplete end with a reply: %s', async (_, before) => {
  const { baseUrl } = await start();
  const connection = await openConnection(baseUrl);
  connection.write(before);
  if (before !== '') expect(await connection.readReply()).toMatchObject({ status: 404 });
  connection.write('POST /plants HTTP/1.1\r\nHost: plants.example\r\n');
  expectError(await connection.readReply(), 'bad_request', 'The request took too long to arrive.');
  expect(await connection.readToEnd()).toBe('');
});

it('with a request that was answered before its body arrived end without a second reply', async () => {
  const { baseUrl, lines } = await start();
  const connection = await openConnection(baseUrl);
  connection.write('POST /plants HTTP/1.1\r\nHost: plants.example\r\nContent-Length: 100\r\n\r\n{');
  expectError(await connection.readReply(), 'missing_token', /./);
  expect(await connection.readToEnd()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ status: 401, msg: 'request' }]);
});

it('end even if the client does not close them', async () => {
  const { server, baseUrl } = await start();
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.write('POST /plants HTTP/1.1\r\n');
  await new Promise((ended) => socket.once('end', ended).resume());
  expect(await countConnections(server)).toBe(1);
  await until(async () => (await countConnections(server)) === 0);
  socket.destroy();
});

const bundle = viewerPaths.swaggerUiScript;

it('keep no file descriptor open for replies that are not read', async () => {
  const { server, baseUrl } = await start();
  // A slow machine may take longer to begin to read.
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0 });
  const { hostname, port } = new URL(baseUrl);
  const countDescriptors = () => readdirSync('/dev/fd').length;
  const before = countDescriptors();
  for (let connection = 0; connection < 10; connection++) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${bundle} HTTP/1.1\r\nHost: plants.example\r\n\r\n`.repeat(100));
    await new Promise((received) => socket.once('readable', received));
    socket.destroy();
  }
  await until(() => countDescriptors() <= before);
});
