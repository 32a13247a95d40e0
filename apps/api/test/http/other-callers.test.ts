import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

/** Starts a service with two tokens: one that takes as much as it can, and one whose requests must be answered meanwhile. */
async function start(environment: Readonly<Record<string, string>> = {}) {
  const service = await startTestService(environment);
  onTestFinished(() => void service.stop());
  const { text: greedy } = await service.accessTokens.issue({ name: 'greedy' });
  const other = createClient({
    baseUrl: service.baseUrl,
    token: service.token,
    retries: 0,
    // A plant of 16 MiB takes long on a slow machine.
    timeoutMs: 120_000,
    attemptTimeoutMs: 120_000,
  });
  return { service, greedy, other };
}

async function open({ baseUrl }: TestService): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const request = (method: string, path: string, token: string, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  }\r\n${body}`;

/** Sends on so many connections, and reads what comes unless it is to be left. */
async function sendOn(service: TestService, connections: number, text: string, read: boolean) {
  const replies: string[] = Array(connections).fill('');
  for (let index = 0; index < connections; index++) {
    const socket = await open(service);
    if (read) {
      socket.on('data', (chunk) => {
        replies[index] += chunk.toString('latin1');
      });
    } else socket.pause();
    socket.write(text);
  }
  return replies;
}

// The memory of each worker is its own.
it.skipIf(inject('workers') > 1)('has replies to others while one caller does not read its own', async () => {
  const limit = 2 ** 24;
  const { service, greedy, other } = await start({
    BODY_MAX_BYTES: String(limit),
    BODY_MEMORY_MAX_BYTES: String(4 * limit),
  });
  // More than a system keeps of what its program does not read.
  const name = 'x'.repeat(limit - 100);
  expect(await other.createPlant({ body: { id: 1, name } })).toMatchObject({ status: 200 });
  await sendOn(service, 3, request('GET', '/plants/1', greedy).repeat(60), false);
  await until(async () => {
    const replies = await sendOn(service, 1, request('GET', '/plants/1', greedy), true);
    await until(() => replies[0]?.includes('\r\n\r\n'));
    return replies[0]?.startsWith('HTTP/1.1 503');
  });
  expect(await other.getPlant({ params: { id: 1 } })).toMatchObject({ status: 200 });
});

it('stores a plant of another caller while one fills its part of the queue with batches', async () => {
  const { service, greedy, other } = await start({ QUEUE_MAX_PLANTS: '200' });
  let on = true;
  let id = 1_000;
  const client = createClient({ baseUrl: service.baseUrl, token: greedy, retries: 0 });
  const senders = Array.from({ length: 8 }, async () => {
    while (on) {
      const plants = Array.from({ length: 1_000 }, () => ({ id: id++, name: 'Fern' }));
      await client.createPlants({ body: { plants } });
    }
  });
  for (let index = 0; index < 20; index++) {
    expect(await other.createPlant({ body: { id: index, name: 'Ivy' } })).toMatchObject({ status: 200 });
    await delay(10);
  }
  on = false;
  await Promise.all(senders);
});

it('lists for another caller while one has lists waiting that nobody reads', async () => {
  const { service, greedy, other } = await start();
  expect(await other.createPlant({ body: { id: 1, name: 'Fern' } })).toMatchObject({ status: 200 });
  await other.listPlants();
  await sendOn(service, 128, request('GET', '/plants?q=zzzz', greedy).repeat(20), false);
  for (let index = 0; index < 20; index++) {
    expect(await other.listPlants()).toMatchObject({ status: 200, body: { plants: [{ id: 1n }] } });
  }
});
