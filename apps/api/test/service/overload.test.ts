import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errors } from '@plant-store/contract/errors';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { type AccessToken, createTokenService, generateAccessToken } from '../../src/auth/token-service.js';
import { parseConfig } from '../../src/config.js';
import { createApp } from '../../src/http/create-app.js';
import { createServer } from '../../src/http/server.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { createTurns } from '../../src/runtime/turns.js';
import { stored } from '../../src/store/store.js';
import { expectError } from '../support/expect-error.js';
import { createTestQueue } from '../support/plants/create-test-queue.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { until } from '../support/until.js';

/** Starts a service with a queue that takes two plants of one caller, whose store stores nothing until it is released. */
async function startHeldService() {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const released = Promise.withResolvers<void>();
  const config = parseConfig({ QUEUE_MAX_PLANTS: '4' }, '/');
  const held = {
    create: (plants: readonly unknown[]) => released.promise.then(() => plants.map(() => stored)),
    remove: () => Promise.reject(new Error('nothing is removed')),
  };
  const queue = createTestQueue(held, { limits: config.queueLimits });
  const stopping = new AbortController();
  const token = generateAccessToken();
  const accessTokens = createTokenService(createTokenStore());
  const { text } = await accessTokens.issue({ name: 'test' });
  const app = await createApp({
    ...config,
    queue,
    store: { find: async () => [], list: async () => ({ plants: [], last: undefined }) },
    accessTokens,
    turns: createTurns(new ActiveCallers()),
    concurrentLists: 1,
    callers: new ActiveCallers(),
    log,
    requestLog: log,
    draining: stopping.signal,
    stopping: stopping.signal,
  });
  const server = createServer(app, log).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    released.resolve();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseUrl, token: text, unknownToken: token, queue, stopping, release: released.resolve, lines };
}

/** Creates a store that keeps tokens in memory. */
function createTokenStore(): Parameters<typeof createTokenService>[0] {
  const known = new Map<string, AccessToken>();
  return {
    async add({ name, hash, scopes, expiresAt }) {
      const token = {
        id: known.size + 1,
        name,
        scopes,
        createdAt: new Date(),
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
      };
      known.set(hash, token);
      return token;
    },
    findByHash: async (hash) => known.get(hash) ?? null,
    list: async () => [...known.values()],
    revoke: async () => null,
  };
}

type HeldService = Awaited<ReturnType<typeof startHeldService>>;

/** Sends creates until the queue is full. */
async function fill(service: HeldService) {
  const accepted = [];
  for (let id = 1; !service.queue.isFull(1); id++) {
    accepted.push(postPlant(service, { id, name: 'Fern' }).then(({ status }) => status, String));
    await new Promise(setImmediate);
    await until(() => service.queue.isFull(1) || accepted.length < 3);
  }
  return accepted;
}

const parse = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

it('logs the number of rejected requests, once a second and when it stops, instead of each', async () => {
  const service = await startHeldService();
  const accepted = await fill(service);
  const rejections = [];
  for (let id = 10; id < 40; id++) {
    const reply = await postPlant(service, { id, name: 'Fern' });
    expectError(reply, 'overloaded', 'The service is overloaded. Try again in 1 second.');
    rejections.push(reply.headers['x-request-id']);
  }
  await until(() => service.lines.length > 0);
  await postPlant(service, { id: 40, name: 'Fern' });
  service.stopping.abort();
  const counts = parse(service.lines);
  expect(counts.length).toBeLessThan(10);
  for (const line of counts) expect(line).toMatchObject({ level: 40, msg: 'overloaded' });
  expect(counts.reduce((sum, { rejected }) => sum + rejected.waiting_plants, 0)).toBe(rejections.length + 1);

  service.release();
  for (const status of accepted) expect(await status).toBe(200);
  await until(() => service.lines.length === counts.length + accepted.length);
  expect(parse(service.lines.slice(counts.length)).map(({ status }) => status)).toEqual(
    accepted.map(() => 200),
  );
});

it('rejects a create before its body arrives, and keeps using the connection', async () => {
  const service = await startHeldService();
  await fill(service);
  const connection = await openConnection(service.baseUrl);
  const body = '{"id":1,"name":"Fern"}';
  connection.write(composePlantRequest(service, '', { 'Content-Length': String(body.length) }));
  expectError(await connection.readReply(), 'overloaded', 'The service is overloaded.');
  connection.write(body);
  connection.write(composePlantRequest(service, body));
  expectError(await connection.readReply(), 'overloaded', 'The service is overloaded.');
  service.release();
  await until(() => !service.queue.isFull(1));
  connection.write(composePlantRequest(service, body));
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Fern' } });
  connection.destroy();
});

it('reports missing and invalid tokens before it, and errors of the body after it', async () => {
  const service = await startHeldService();
  await fill(service);
  const errorOf = async (body: string, headers = {}) =>
    (await sendRaw(service.baseUrl, composePlantRequest(service, body, headers))).body;
  const { missing_token, invalid_token, overloaded } = errors;
  expect(await errorOf('{}', { Authorization: undefined })).toMatchObject({ error: missing_token.error });
  const Authorization = `Bearer ${service.unknownToken}`;
  expect(await errorOf('{}', { Authorization })).toMatchObject({ error: invalid_token.error });
  expect(await errorOf('{', { 'Content-Type': 'text/plain' })).toMatchObject({ error: overloaded.error });
  expect(await errorOf(' '.repeat(2 ** 21))).toMatchObject({ error: overloaded.error });
});
