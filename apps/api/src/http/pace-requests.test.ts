import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../test/support/until.js';
import { paceRequests, requestsPerTurn } from './server.js';

/** A server that notes the paths of its requests as it handles them, and how many of them in each turn. */
async function startServer() {
  const paths: string[] = [];
  const turns: number[] = [];
  let handledInTurn = 0;
  const server = createServer(
    paceRequests((request, response) => {
      if (handledInTurn++ === 0) {
        // Behind what the same turn still has to handle.
        setImmediate(() => setImmediate(() => undefined));
        void nextTurn().then(() => {
          turns.push(handledInTurn);
          handledInTurn = 0;
        });
      }
      paths.push(request.url ?? '');
      response.end();
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, paths, turns };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const composeRequests = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`);

it('handles all requests that come at once, in order, some in each turn', async () => {
  const { port, paths, turns } = await startServer();
  const count = requestsPerTurn * 5;
  const socket = await open(port);
  socket.resume().write(composeRequests(count).join(''));
  await until(() => paths.length === count);
  expect(paths).toEqual(Array.from({ length: count }, (_, index) => `/${index}`));
  await until(() => turns.reduce((sum, handled) => sum + handled, 0) === count);
  // A turn of the test may see the end of one of the server and the beginning of the next.
  expect(Math.max(...turns)).toBeLessThanOrEqual(2 * requestsPerTurn);
  socket.destroy();
});

it('leaves out the requests of a connection that is gone', async () => {
  const socket = new Socket();
  let handled = 0;
  const handle = paceRequests(() => {
    handled++;
  });
  for (let count = 0; count < 2 * requestsPerTurn; count++) {
    const request = new IncomingMessage(socket);
    handle(request, new ServerResponse(request));
  }
  expect(handled).toBe(requestsPerTurn);
  socket.destroy();
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(handled).toBe(requestsPerTurn);
});

/** Sends so many requests on one connection, and notes what Node.js has parsed of all connections and what is handled. */
async function flood(count: number) {
  const parsed: string[] = [];
  const handled: string[] = [];
  const server = createServer().listen(0, '127.0.0.1');
  /** How many were handled by the time a request was parsed. */
  const handledBefore = new Map<string, number>();
  server.on('request', ({ url = '' }) => {
    parsed.push(url);
    handledBefore.set(url, handled.length);
  });
  server.on(
    'request',
    paceRequests((request, response) => {
      handled.push(request.url ?? '');
      response.end();
    }),
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = await open(port);
  onTestFinished(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  socket.resume().write(composeRequests(count).join(''));
  return { port, parsed, handled, handledBefore };
}

it('reads no more from a connection on which many requests wait', async () => {
  const count = 20_000;
  const { parsed, handled } = await flood(count);
  let most = 0;
  while (handled.length < count) {
    most = Math.max(most, parsed.length - handled.length);
    await nextTurn();
  }
  expect(handled).toEqual(Array.from({ length: count }, (_, index) => `/${index}`));
  // What one read of Node.js, of 64 KiB, brings of requests that are 30 bytes long.
  expect(most).toBeLessThan(2 * (65_536 / 30));
});

it('handles the request of another connection before those that wait on one', async () => {
  const { port, parsed, handled, handledBefore } = await flood(20_000);
  await until(() => parsed.length - handled.length > 1_000, 1);
  const other = await open(port);
  onTestFinished(() => void other.destroy());
  other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(other, 'data');
  const handledMeanwhile = handled.indexOf('/other') - (handledBefore.get('/other') ?? 0);
  expect(handledMeanwhile).toBeLessThanOrEqual(2 * requestsPerTurn);
});
