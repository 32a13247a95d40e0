import { createClient } from '@plant-store/client';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const send = (method: 'get' | 'delete', id: bigint | number | string) =>
  supertest(service.baseUrl)[method](`/plants/${id}`).auth(service.token, { type: 'bearer' });

it('deletes a plant, and answers the same when it is repeated', async () => {
  await postPlant(service, { id: 1, name: 'Fern', tag: 'outdoor' });
  for (const _ of [1, 2]) {
    const reply = await send('delete', 1);
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(reply.headers).not.toHaveProperty('content-type');
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers).toHaveProperty('x-request-id');
  }
});

it('lets no cache keep a plant beyond its delete', async () => {
  await postPlant(service, { id: 4, name: 'Moss' });
  const exchanges = [
    ['GET', '/plants/4', 200],
    ['HEAD', '/plants/4', 200],
    ['GET', '/plants', 200],
    ['POST', '/plants/batch', 200],
    ['DELETE', '/plants/4', 204],
  ] as const;
  for (const [method, path, status] of exchanges) {
    const reply = await fetch(service.baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body: method === 'POST' ? '{"plants":[{"id":4,"name":"Moss"}]}' : null,
    });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('cache-control'), `${method} ${path}`).toBe('no-store');
  }
});

it('is typed in the client, which takes a reply without a body', async () => {
  const client = createClient(service);
  await client.createPlant({ body: { id: 2n ** 62n, name: 'Oak' } });
  const reply = await client.deletePlant({ params: { id: 2n ** 62n } });
  expect(reply.status).toBe(204);
  if (reply.status === 204) expect(reply.body satisfies undefined).toBeUndefined();
  expect((await client.getPlant({ params: { id: 2n ** 62n } })).status).toBe(404);
});

it('races with creates of the same id, and ends in one of the two orders', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => 1_000 + index);
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const [created, deleted] = await Promise.all([
        postPlant(service, { id, name: 'raced' }),
        send('delete', id),
      ]);
      const { status } = await send('get', id);
      return `${created.status} ${deleted.status} ${status}`;
    }),
  );
  for (const outcome of outcomes) expect(['200 204 404', '200 404 200']).toContain(outcome);
});
