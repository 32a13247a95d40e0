import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@plant-store/records';
import express, { type ErrorRequestHandler } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCallerMemory } from '../../src/http/caller-memory.js';
import { jsonBody } from '../../src/http/json-body.js';
import { createServer } from '../../src/http/server.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { createTurns, type Turns } from '../../src/runtime/turns.js';
import { listen } from '../support/listen.js';
import { openApp, silentLog } from '../support/open-app.js';
import { openConnection, type RawConnection } from '../support/send-raw.js';
import { until } from '../support/until.js';

const bodyLimit = 10_000;

interface Options {
  readonly budgetBytes?: number;
  readonly limitBytes?: number;
  readonly requestMs?: number;
  /** Whether the stream has started before its reader, as by another one. */
  readonly early?: boolean;
  readonly fastPath?: boolean;
  readonly turns?: Turns;
}

/** Starts a server that reads bodies within a budget and answers with their length; `x-holder` names their sender. */
async function startServer({
  budgetBytes = 100_000,
  limitBytes = bodyLimit,
  requestMs = 60_000,
  early = false,
  fastPath = true,
  turns = createTurns(new ActiveCallers()),
}: Options = {}) {
  const memory = createCallerMemory(budgetBytes);
  const app = express();
  app.post(
    '/plants',
    (request, response, next) => {
      const id = Number(request.headers['x-holder'] ?? 1);
      const times = { createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
      response.locals.accessToken = { id, name: 'test', scopes: [], ...times };
      if (early) request.resume();
      next();
    },
    jsonBody({}, limitBytes, memory, turns),
    (request, response) => void response.json({ length: JSON.stringify(request.body).length }),
  );
  const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
    if (!(error instanceof ServiceError)) throw error;
    response.status(error.status).set(error.headers).json({ error: error.number });
  };
  app.use(answerError);
  const headersMs = Math.min(requestMs, 20_000);
  const limits = { requestMs, headersMs, keepAliveMs: 65_000, stalledMs: 10_000, checkIntervalMs: 100 };
  const server = createServer(app, silentLog, { limits, turns, fastPath });
  return { server, memory, baseUrl: await listen(server) };
}

const head = (length: number | 'chunked', holder = 1) =>
  `POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Holder: ${holder}\r\n${
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  }\r\n\r\n`;

async function open(baseUrl: string): Promise<RawConnection> {
  const connection = await openConnection(baseUrl);
  onTestFinished(() => connection.destroy());
  return connection;
}

/** Sends 5,000 bytes of a longer body. */
async function sendUnfinished(baseUrl: string, holder = 1): Promise<RawConnection> {
  const connection = await open(baseUrl);
  connection.write(`${head(bodyLimit, holder)}"${'x'.repeat(4_999)}`);
  return connection;
}

it.each([false, true])(
  'keeps unfinished bodies within the budget, and frees it once their clients disconnect (early: %s)',
  async (early) => {
    const { memory, baseUrl } = await startServer({ early });
    const connections: RawConnection[] = [];
    for (let count = 0; count < 20; count++) connections.push(await sendUnfinished(baseUrl));
    // Half of the budget is for one holder.
    await until(() => memory.held === 50_000);
    const rejected = await sendUnfinished(baseUrl);
    const overloaded = { status: 503, headers: { 'retry-after': '1' }, body: { error: 50300 } };
    expect(await rejected.readReply()).toMatchObject(overloaded);
    expect(memory.held).toBe(50_000);
    for (const connection of connections) connection.destroy();
    await until(() => memory.held === 0);
  },
);

it('lets others send bodies in pieces while one sender has used its share, and anyone a small one', async () => {
  const { memory, baseUrl } = await startServer();
  for (let count = 0; count < 12; count++) await sendUnfinished(baseUrl);
  await until(() => memory.held === 50_000);

  const other = await sendUnfinished(baseUrl, 2);
  await until(() => memory.held === 55_000);
  other.write(`${'x'.repeat(bodyLimit - 5_001)}"`);
  expect(await other.readReply()).toMatchObject({ status: 200, body: { length: bodyLimit } });

  const whole = await open(baseUrl);
  whole.write(`${head(7)}"Monst"`);
  expect(await whole.readReply()).toMatchObject({ status: 200, body: { length: 7 } });
  await until(() => memory.held === 50_000);
});

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

it.each<[body: string, status: number, pauseMs: number, pieces: readonly string[]]>([
  ['came in two pieces', 200, 50, [`${head(10)}"four`, 'more"']],
  ['came in chunks of a byte', 200, 5, [head('chunked'), ...[...'"Monstera"'].map(chunk), '0\r\n\r\n']],
  ['was too large', 400, 50, [head('chunked') + chunk('x'.repeat(5_000)), chunk('x'.repeat(6_000))]],
  ['is not JSON', 400, 50, [`${head(10)}{four`, 'more}']],
])('frees the memory of a body that %s', async (_, status, pauseMs, pieces) => {
  const { memory, baseUrl } = await startServer();
  const connection = await open(baseUrl);
  for (const piece of pieces) {
    connection.write(piece);
    await delay(pauseMs);
  }
  expect((await connection.readReply()).status).toBe(status);
  await until(() => memory.held === 0);
});

it('counts a body in one-byte pieces like one in large pieces, and continues after a rejection', async () => {
  const { memory, baseUrl } = await startServer({ budgetBytes: 8_192 });
  const connection = await open(baseUrl);
  connection.write(head('chunked'));
  for (let count = 0; count < 40; count++) {
    connection.write(chunk('1'));
    await delay(1);
  }
  await until(() => memory.held > 4_000);
  connection.write(chunk('1'.repeat(5_000)));
  expect(await connection.readReply()).toMatchObject({ status: 503 });
  await until(() => memory.held === 0);
  connection.write(`0\r\n\r\n${head(2)}42`);
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { length: 2 } });
});

it('frees the memory of a stalled body after its timeout', async () => {
  const { memory, baseUrl } = await startServer({ requestMs: 1_500 });
  const holdBody = vi.spyOn(memory, 'holdBody');
  const connection = await sendUnfinished(baseUrl);
  await connection.readToEnd();
  expect(holdBody).toHaveReturnedWith(true);
  await until(() => memory.held === 0);
});

it('limits the memory of all bodies in the service, and rejects more as overloaded', async () => {
  const { app, token } = await openApp();
  const baseUrl = await listen(createServer(app, silentLog));
  const mebibyte = 2 ** 20;
  const send = async () => {
    const connection = await open(baseUrl);
    connection.write(
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${mebibyte}\r\n\r\n${' '.repeat(mebibyte - 1)}`,
    );
    return connection;
  };
  // Half of the default limit of 64 MiB.
  const connections = await Promise.all(Array.from({ length: 33 }, send));
  const first = await Promise.race(connections.map((connection) => connection.readReply()));
  expect(first).toMatchObject({ status: 503, body: { error: 50300 } });
});

const largeBytes = 2 ** 25;

it.each([
  { fastPath: true, budgetBytes: 2 ** 30, status: 200 },
  { fastPath: false, budgetBytes: 2 ** 30, status: 200 },
  // The rest of a body that is rejected is read in turns, too.
  { fastPath: true, budgetBytes: 2 ** 20, status: 503 },
  { fastPath: false, budgetBytes: 2 ** 20, status: 503 },
])('stops reading a large body until it is the turn of its caller (%j)', async ({ status, ...options }) => {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const turns: Turns = {
    schedule: (_caller, cost, work) => (cost > 1 && !isOpen ? void waiting.push(work) : work()),
    wait: () => Promise.resolve(),
  };
  const { server, baseUrl } = await startServer({ ...options, limitBytes: largeBytes, turns });
  let received: Socket | undefined;
  server.on('connection', (socket) => {
    received = socket;
  });
  const client = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  let reply = '';
  client.on('data', (data) => {
    reply += data;
  });
  client.write(head(largeBytes));
  client.write(`"${'x'.repeat(largeBytes - 2)}"`);

  await until(() => waiting.length > 0);
  await delay(100);
  expect(waiting.length).toBeLessThanOrEqual(2);
  expect(received?.bytesRead).toBeLessThan(largeBytes / 4);
  waiting.shift()?.();
  await until(() => waiting.length > 0);

  isOpen = true;
  for (const work of waiting.splice(0)) work();
  if (reply === '') await once(client, 'data');
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  await until(() => (received?.bytesRead ?? 0) > largeBytes);
});
