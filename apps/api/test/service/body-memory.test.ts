import { setTimeout as delay } from 'node:timers/promises';
import { scopes } from '@plant-store/contract/access-token';
import express, { type ErrorRequestHandler } from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.js';
import { createCallerMemory } from '../../src/http/caller-memory.js';
import { jsonBody } from '../../src/http/json-body.js';
import { createServer } from '../../src/http/server.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { createTurns } from '../../src/runtime/turns.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { openConnection, type RawConnection } from '../support/send-raw.js';
import { until } from '../support/until.js';

const bodyLimit = 10_000;
const timeLimits = {
  requestMs: 60_000,
  headersMs: 20_000,
  keepAliveMs: 65_000,
  stalledMs: 10_000,
  checkIntervalMs: 100,
};

/** Starts a server that reads bodies within a budget and answers with their length; `x-holder` names their sender. */
async function startServer({ budgetBytes = 100_000, requestMs = timeLimits.requestMs, early = false } = {}) {
  const memory = createCallerMemory(budgetBytes);
  const app = express();
  app.post(
    '/plants',
    async (request, response, next) => {
      const id = Number(request.headers['x-holder'] ?? 1);
      const createdAt = new Date();
      response.locals.accessToken = {
        id,
        name: 'test',
        scopes,
        createdAt,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      };
      // As if another reader had already started the stream.
      if (early) request.resume();
      next();
    },
    jsonBody({}, bodyLimit, memory, createTurns(new ActiveCallers())),
    (request, response) => void response.json({ length: JSON.stringify(request.body).length }),
  );
  const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
    if (!(error instanceof ServiceError)) throw error;
    response.status(error.status).set(error.headers).json({ error: error.number });
  };
  app.use(answerError);
  const limits = { ...timeLimits, requestMs, headersMs: Math.min(requestMs, timeLimits.headersMs) };
  return { memory, baseUrl: await listen(createServer(app, silentLog, { limits })) };
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

/** Sends this many bytes of a longer body. */
async function sendUnfinished(baseUrl: string, bytes: number, holder = 1): Promise<RawConnection> {
  const connection = await open(baseUrl);
  connection.write(`${head(bodyLimit, holder)}"${'x'.repeat(bytes - 1)}`);
  return connection;
}

it.each([{ early: false }, { early: true }])(
  'keeps unfinished bodies within the budget, and frees it once their clients disconnect (%j)',
  async ({ early }) => {
    const { memory, baseUrl } = await startServer({ early });
    const connections: RawConnection[] = [];
    for (let count = 0; count < 20; count++) connections.push(await sendUnfinished(baseUrl, 5_000));
    // Half of the budget is for one holder.
    await until(() => memory.held === 50_000);
    const rejected = await sendUnfinished(baseUrl, 5_000);
    expect(await rejected.readReply()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 50300 },
    });
    expect(memory.held).toBe(50_000);
    for (const connection of connections) connection.destroy();
    await until(() => memory.held === 0);
  },
);

it('lets others send bodies in pieces while one sender has used its share, and anyone a small one', async () => {
  const { memory, baseUrl } = await startServer();
  for (let count = 0; count < 12; count++) await sendUnfinished(baseUrl, 5_000);
  await until(() => memory.held === 50_000);

  const other = await sendUnfinished(baseUrl, 5_000, 2);
  await until(() => memory.held === 55_000);
  other.write(`${'x'.repeat(bodyLimit - 5_001)}"`);
  expect(await other.readReply()).toMatchObject({ status: 200, body: { length: bodyLimit } });

  const whole = await open(baseUrl);
  whole.write(`${head(7)}"Monst"`);
  expect(await whole.readReply()).toMatchObject({ status: 200, body: { length: 7 } });
  await until(() => memory.held === 50_000);
});

it.each<[string, send: (connection: RawConnection) => Promise<void>, status: number]>([
  [
    'came in two pieces',
    async (connection) => {
      connection.write(`${head(10)}"four`);
      await delay(50);
      connection.write('more"');
    },
    200,
  ],
  [
    'came in chunks of a byte',
    async (connection) => {
      connection.write(head('chunked'));
      for (const letter of '"Monstera"') {
        connection.write(`1\r\n${letter}\r\n`);
        await delay(5);
      }
      connection.write('0\r\n\r\n');
    },
    200,
  ],
  [
    'was too large',
    async (connection) => {
      connection.write(`${head('chunked')}1388\r\n${'x'.repeat(5_000)}\r\n`);
      await delay(50);
      connection.write(`1770\r\n${'x'.repeat(6_000)}\r\n`);
    },
    400,
  ],
  [
    'is not JSON',
    async (connection) => {
      connection.write(`${head(10)}{four`);
      await delay(50);
      connection.write('more}');
    },
    400,
  ],
])('frees the memory of a body that %s', async (_name, send, status) => {
  const { memory, baseUrl } = await startServer();
  const connection = await open(baseUrl);
  await send(connection);
  expect((await connection.readReply()).status).toBe(status);
  await until(() => memory.held === 0);
});

it('counts a body in one-byte pieces like one in large pieces, and continues after a rejection', async () => {
  const { memory, baseUrl } = await startServer({ budgetBytes: 8_192 });
  const connection = await open(baseUrl);
  connection.write(head('chunked'));
  for (let count = 0; count < 40; count++) {
    connection.write('1\r\n1\r\n');
    await delay(1);
  }
  await until(() => memory.held > 4_000);
  connection.write(`1388\r\n${'1'.repeat(5_000)}\r\n`);
  expect(await connection.readReply()).toMatchObject({ status: 503 });
  await until(() => memory.held === 0);
  connection.write(`0\r\n\r\n${head(2)}42`);
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { length: 2 } });
});

it('frees the memory of a stalled body after its timeout', async () => {
  const { memory, baseUrl } = await startServer({ requestMs: 3_000 });
  const connection = await sendUnfinished(baseUrl, 5_000);
  await until(() => memory.held === 5_000);
  await connection.readToEnd();
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
