import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../test/support/listen.js';
import { silentLog } from '../../test/support/open-app.js';
import { until } from '../../test/support/until.js';
import { createServer } from './server.js';

/** Starts a server that notes the paths of requests as it begins to handle them, and ends their replies on demand. */
async function startServer({ body = '', hold = false, stalledMs = 10_000 } = {}) {
  const begun: string[] = [];
  const held: (() => void)[] = [];
  const app = express();
  app.use((request, response) => {
    begun.push(request.path);
    if (hold) held.push(() => response.end(body));
    else response.end(body);
  });
  const limits = {
    requestMs: 60_000,
    headersMs: 20_000,
    keepAliveMs: 65_000,
    stalledMs,
    checkIntervalMs: 20,
  };
  const server = createServer(app, silentLog, { limits });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_, connections) => resolve(connections)));
  return { server, port, begun, held, count };
}

async function waitTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const composeRequests = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

it('begins a request of a connection once the reply before it has left the process', async () => {
  const { port, begun, held } = await startServer({ hold: true });
  const [socket, other] = [await open(port), await open(port)];
  socket.resume().write(composeRequests(3));
  other.resume().write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => begun.length === 2);
  await waitTurns(10);
  expect(begun.toSorted()).toEqual(['/0', '/other']);
  for (const next of ['/1', '/2']) {
    for (const end of held.splice(0)) end();
    await until(() => begun.at(-1) === next);
  }
});

it('holds at most one reply for a connection that reads none, no matter how many requests it sends', async () => {
  const { port, begun } = await startServer({ body: 'x'.repeat(2 ** 23) });
  const socket = await open(port);
  socket.pause().write(composeRequests(60));
  await until(() => begun.length > 0);
  await waitTurns(200);
  expect(begun.length).toBeLessThan(3);
});

it('closes a connection without traffic while a part of a reply is unsent', async () => {
  const { port, begun, count } = await startServer({ body: 'x'.repeat(2 ** 25), stalledMs: 3_000 });
  const [stalled, slow] = [await open(port), await open(port)];
  stalled.pause().write(composeRequests(1));
  let received = 0;
  slow.on('data', (chunk) => {
    received += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 5);
  });
  slow.write(composeRequests(1));
  await until(() => begun.length === 2);
  await until(async () => (await count()) === 1);
  await until(() => received > 2 ** 25);
  expect(await count()).toBe(1);
});

it('skips the requests of a closed connection', async () => {
  const { port, begun, held, count } = await startServer({ hold: true });
  const socket = await open(port);
  socket.write(composeRequests(3));
  await until(() => begun.length === 1);
  socket.resetAndDestroy();
  await until(async () => (await count()) === 0);
  for (const end of held) end();
  await waitTurns(10);
  expect(begun).toEqual(['/0']);
});

it('handles all requests that arrive at once, in order, and stops reading while many wait', async () => {
  const { server, port, begun } = await startServer();
  let parsed = 0;
  server.on('request', () => parsed++);
  const socket = await open(port);
  const count = 6_000;
  socket.resume().write(composeRequests(count));
  let most = 0;
  while (begun.length < count) {
    most = Math.max(most, parsed - begun.length);
    await nextTurn();
  }
  expect(begun).toEqual(Array.from({ length: count }, (_, index) => `/${index}`));
  // One read of Node.js is 64 KiB, and each request has 30 bytes.
  expect(most).toBeLessThan(2 * (65_536 / 30));
});

it('handles the request of another connection before those that wait on one', async () => {
  const { port, begun } = await startServer();
  const socket = await open(port);
  socket.resume().write(composeRequests(6_000));
  await until(() => begun.length > 1_000, 1);
  const other = await open(port);
  const before = begun.length;
  other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(other, 'data');
  expect(begun.indexOf('/other') - before).toBeLessThan(500);
});

it('closes only connections with many waiting requests, once too many wait in total', async () => {
  const { port, begun, held, count } = await startServer({ hold: true });
  const few = await open(port);
  few.write(composeRequests(10));
  await until(() => begun.length === 1);
  const many = await Promise.all(Array.from({ length: 12 }, () => open(port)));
  for (const socket of many) {
    socket.on('error', () => undefined);
    socket.write(composeRequests(2_000));
  }
  await until(async () => (await count()) < 12);
  expect(await count()).toBeGreaterThan(1);
  for (const socket of many) socket.destroy();
  let received = '';
  few.on('data', (chunk) => {
    received += chunk;
  });
  await until(() => {
    for (const end of held.splice(0)) end();
    return received.split('HTTP/1.1 200').length === 11;
  });
});
