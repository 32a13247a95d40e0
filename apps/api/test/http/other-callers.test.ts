import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

/** A plant of 16 MiB takes long on a slow machine. */
const patience = { retries: 0, timeoutMs: 120_000, attemptTimeoutMs: 120_000 };

/** Starts a service with two tokens: one that takes as much as it can, and one whose requests must be answered meanwhile. */
async function start(environment: Readonly<Record<string, string>> = {}) {
  const service = await startTestService(environment);
  const { secret: greedy } = await service.accessTokens.issue({ name: 'greedy' });
  const other = createClient({ ...service, ...patience });
  return { service, greedy, other };
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
}

/** Sends a request so often on a connection, and leaves the replies unread. */
async function sendUnread(service: TestService, sent: Request, token: string, times: number) {
  const { method = 'GET', path, body = '' } = sent;
  const content = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const request = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${content}\r\n${body}`;
  const connection = await openConnection(service.baseUrl);
  onTestFinished(() => connection.destroy());
  connection.write(request.repeat(times));
}

const isOtherEngine = inject('engine') !== 'sqlite';

// The memory of each worker is its own, and the database does not matter.
it.skipIf(isOtherEngine || inject('workers') > 1).each<Request>([
  { path: '/plants/1' },
  // Replies may share a page, but each counts.
  { path: '/plants' },
  { path: '/plants?limit=' },
  { path: '/tags' },
  { path: '/changes?after=0&limit=' },
  // Those of the same page share its bytes.
  { path: '/changes?after=0&wait=1&limit=' },
  { method: 'POST', path: '/plants/batch/get', body: '{"ids":["1"]}' },
])('has replies to others while one caller does not read its own: $path', async (request) => {
  const limit = 2 ** 24;
  const limits = { BODY_MAX_BYTES: `${limit}`, BODY_MEMORY_MAX_BYTES: `${4 * limit}` };
  const { service, greedy, other } = await start(limits);
  // More than a system keeps of what its program does not read. A token may hold two such replies, or four such tags.
  const half = 'x'.repeat((3 / 8) * limit);
  expect(await other.createPlant({ body: { id: 1, name: half, tag: half } })).toMatchObject({ status: 200 });
  // Again and again: on a slow machine the service may close the connections, whose replies nobody reads, before it is asked.
  await until(async () => {
    for (let number = 1; number <= 4; number++) {
      const path = request.path.replace(/limit=$/, `limit=${number}`);
      await sendUnread(service, { ...request, path }, greedy, 60);
    }
    for (let attempt = 0; attempt < 20; attempt++) {
      const headers = { Authorization: `Bearer ${greedy}` };
      const { status, body } = await fetch(`${service.baseUrl}/plants/1`, { headers });
      await body?.cancel();
      if (status === 503) return true;
      await delay(50);
    }
    return false;
  });
  expect(await other.getPlant({ params: { id: 1 } })).toMatchObject({ status: 200 });
});

// The database does not matter.
it.skipIf(isOtherEngine)(
  'stores a plant of another caller while one fills its part of the queue with batches',
  async () => {
    const { service, greedy, other } = await start({ QUEUE_MAX_PLANTS: '200' });
    let on = true;
    let id = 1_000;
    const client = createClient({ ...service, token: greedy, ...patience });
    const senders = Array.from({ length: 8 }, async () => {
      while (on) {
        const plants = Array.from({ length: 1_000 }, () => ({ id: id++, name: 'Fern' }));
        await client.createPlants({ body: { plants } });
      }
    });
    for (let index = 0; index < 10; index++) {
      expect(await other.createPlant({ body: { id: index, name: 'Ivy' } })).toMatchObject({ status: 200 });
      await delay(10);
    }
    on = false;
    await Promise.all(senders);
  },
);

it('lists for another caller while one has lists waiting that nobody reads', async () => {
  const { service, greedy, other } = await start();
  expect(await other.createPlant({ body: { id: 1, name: 'Fern' } })).toMatchObject({ status: 200 });
  await other.listPlants();
  for (let index = 0; index < 128; index++)
    await sendUnread(service, { path: `/plants?q=zzzz${index}` }, greedy, 20);
  for (let index = 0; index < 20; index++)
    expect(await other.listPlants()).toMatchObject({ status: 200, body: { plants: [{ id: 1n }] } });
});
