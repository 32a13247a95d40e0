import { errors } from '@plant-store/contract/errors';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { parseConfig } from '../../src/config.js';
import { createServer } from '../../src/http/server.js';
import { expectError } from '../support/expect-error.js';
import { listen } from '../support/listen.js';
import { openApp } from '../support/open-app.js';
import { createTestQueue, databaseOf } from '../support/plants/create-test-queue.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { until } from '../support/until.js';

/** Starts a service with a queue that takes two plants of one caller, whose store stores nothing until it is released. */
async function startHeldService() {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const { promise: committing, resolve: commit } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held = {
    async create(plants: readonly unknown[]) {
      commit();
      await released;
      return plants.map(() => ({ stored: true, addedAt: 1 }) as const);
    },
    change: () => Promise.reject(new Error('nothing is changed')),
  };
  const { queueLimits: limits } = parseConfig({ QUEUE_MAX_PLANTS: '4' }, '/');
  const queue = createTestQueue(databaseOf(held), { limits });
  const stopping = new AbortController();
  const { app, token } = await openApp(log, {}, { queue, stopping: stopping.signal });
  onTestFinished(() => release());
  const baseUrl = await listen(createServer(app, log));
  return { baseUrl, token, queue, stopping, committing, release, lines };
}

type HeldService = Awaited<ReturnType<typeof startHeldService>>;

/** Sends creates until the queue is full: two that wait behind a commit. */
async function fill(service: HeldService) {
  const post = (id: number) => postPlant(service, { id, name: 'Fern' }).then(({ status }) => status, String);
  const first = post(1);
  // Sent before, the others might be in the same commit, and the queue would have room again.
  await service.committing;
  const accepted = [first, post(2), post(3)];
  await until(() => service.queue.isFull(1));
  return accepted;
}

const parse = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

it('logs the number of rejected requests, once a second and when it stops, instead of each', async () => {
  const service = await startHeldService();
  const accepted = await fill(service);
  const reject = async (id: number) => {
    const reply = await postPlant(service, { id, name: 'Fern' });
    expectError(reply, 'overloaded', 'The service is overloaded. Try again in 1 second.');
  };
  const startedAt = performance.now();
  for (let id = 10; id < 40; id++) await reject(id);
  await until(() => service.lines.length > 0);
  await reject(40);
  service.stopping.abort();
  const counts = parse(service.lines);
  expect(counts.length).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000);
  for (const line of counts) expect(line).toMatchObject({ level: 40, msg: 'overloaded' });
  expect(counts.reduce((sum, { rejected }) => sum + rejected.waiting_plants, 0)).toBe(31);

  service.release();
  for (const status of accepted) expect(await status).toBe(200);
  await until(() => service.lines.length === counts.length + accepted.length);
  for (const line of parse(service.lines.slice(counts.length))) expect(line).toMatchObject({ status: 200 });
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
  const Authorization = `Bearer ${generateAccessToken()}`;
  expect(await errorOf('{}', { Authorization })).toMatchObject({ error: invalid_token.error });
  expect(await errorOf('{', { 'Content-Type': 'text/plain' })).toMatchObject({ error: overloaded.error });
  expect(await errorOf(' '.repeat(2 ** 21))).toMatchObject({ error: overloaded.error });
});
