import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

const send = (method: string, path: string, body: string | null = null) =>
  fetch(service.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body,
  });

it('has a reply without a body, and the same when it is repeated', async () => {
  await postPlant(service, { id: 1, name: 'Fern', tag: 'outdoor' });
  for (const _ of [1, 2]) {
    const { status, headers } = await send('DELETE', '/plants/1');
    expect(status).toBe(204);
    expect([...headers.keys()]).toContain('x-request-id');
    for (const name of ['content-type', 'content-length']) expect([...headers.keys()]).not.toContain(name);
  }
});

it('has no cache keep a plant beyond it, and HEAD the length of what GET gives', async () => {
  const batch = '{"plants":[{"id":4,"name":"Moss"}]}';
  const exchanges = [
    ['POST', '/plants/batch', batch],
    ['GET', '/plants/4'],
    ['HEAD', '/plants/4'],
    ['GET', '/plants'],
    ['HEAD', '/plants'],
    ['DELETE', '/plants/4'],
  ] as const;
  const lengths: Record<string, number> = {};
  for (const [method, path, body] of exchanges) {
    const reply = await send(method, path, body);
    expect(reply.status).toBe(method === 'DELETE' ? 204 : 200);
    expect(reply.headers.get('cache-control'), `${method} ${path}`).toBe('no-store');
    if (method === 'GET') lengths[path] = Buffer.byteLength(await reply.text());
    if (method === 'HEAD') expect(reply.headers.get('content-length')).toBe(String(lengths[path]));
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
  const ids = Array.from({ length: 50 }, (_, index) => 1_000 + index);
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const [created, deleted] = await Promise.all([
        postPlant(service, { id, name: 'raced' }),
        send('DELETE', `/plants/${id}`),
      ]);
      const { status } = await send('GET', `/plants/${id}`);
      return `${created.status} ${deleted.status} ${status}`;
    }),
  );
  for (const outcome of outcomes) expect(['200 204 404', '200 404 200']).toContain(outcome);
});
