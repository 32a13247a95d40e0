import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../test/support/listen.js';
import { createTurns } from '../runtime/turns.js';
import { createExchanges } from './exchanges.js';
import { type LingerLimits, lingerOnClose } from './linger.js';

const mebibyte = 2 ** 20;
const head = (bytes: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Starts a server that answers each request as soon as its head has arrived. */
async function start(limits: Partial<LingerLimits> = {}, replyAfterMs = 0) {
  const server = createServer();
  Object.assign(server, { httpAllowHalfOpen: true });
  let begun = 0;
  const exchanges = createExchanges(async ({ response }) => {
    begun++;
    if (replyAfterMs > 0) await delay(replyAfterMs);
    response.writeHead(400, { Connection: 'close', 'Content-Length': 9 }).end('too large');
  });
  const turns = createTurns({ count: () => 1 });
  lingerOnClose(server, exchanges, turns, {
    // So high that only the limit under test applies.
    bytes: 64 * mebibyte,
    totalMs: 3_600_000,
    idleMs: 3_600_000,
    connections: 100,
    ...limits,
  });
  const closed = once(server, 'connection').then(([connection]) => once(connection, 'close'));
  server.on('request', (request, response) => exchanges.add({ request, response }));
  const { port } = new URL(await listen(server));
  return { begun: () => begun, closed, open: () => openConnection(Number(port)) };
}

/** Opens a connection, and collects what it receives until it is closed. */
async function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let error: Error | undefined;
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', (cause) => {
    error = cause;
  });
  await once(socket, 'connect');
  return { socket, reply: () => text, error: () => error };
}

/** Sends a part of a body every few milliseconds until the connection is closed. */
async function trickle(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('x');
    await delay(20);
  }
}

it.each([
  { replyAfterMs: 0 },
  // By that time Node.js has stopped reading, because the body is not consumed.
  { replyAfterMs: 50 },
])('lets a client that sends everything before it reads get its reply (%j)', async ({ replyAfterMs }) => {
  const { open } = await start({}, replyAfterMs);
  for (let attempt = 0; attempt < 8; attempt++) {
    const { socket, reply, error } = await open();
    socket.pause();
    socket.end(head(5 * mebibyte) + 'x'.repeat(5 * mebibyte));
    await once(socket, 'finish');
    socket.resume();
    await once(socket, 'close');
    expect([reply(), error()]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 400 [\s\S]*too large$/),
      undefined,
    ]);
  }
});

it('begins no request behind the last one', async () => {
  const { open, begun } = await start();
  const { socket } = await open();
  socket.write(`${head(1)}x${head(1)}x`);
  await once(socket, 'end');
  socket.end(`${head(1)}x`);
  await once(socket, 'close');
  expect(begun()).toBe(1);
});

it.each<{ limit: string; limits: Partial<LingerLimits>; send(socket: Socket): unknown }>([
  {
    limit: 'bytes',
    limits: { bytes: mebibyte },
    send: (socket: Socket) => void socket.write('x'.repeat(2 * mebibyte)),
  },
  { limit: 'totalMs', limits: { totalMs: 100 }, send: trickle },
  { limit: 'idleMs', limits: { idleMs: 100 }, send: () => undefined },
])('closes a connection beyond $limit', async ({ limits, send }) => {
  const { open, closed } = await start(limits);
  const { socket, reply } = await open();
  socket.write(head(50 * mebibyte));
  void send(socket);
  await closed;
  // The client may read its reply after the server has closed the connection.
  await expect.poll(reply).toMatch(/^HTTP\/1.1 400 /);
});

it('closes a connection at once when the limit on lingering connections is reached', async () => {
  const { open, closed } = await start({ connections: 0 });
  const { socket } = await open();
  socket.write(head(50 * mebibyte));
  void trickle(socket);
  await closed;
});
