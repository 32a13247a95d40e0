import { createClient } from '@plant-store/client';
import supertest from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, useTestService } from '../support/start-test-service.js';

const limit = 10;
const service = useTestService({ RATE_LIMIT_PER_MINUTE: String(limit) });
/** A new one for each test. */
let token: string;
beforeEach(async () => {
  token = (await service.accessTokens.issue({ name: 'limited' })).secret;
});

const ids = Array.from({ length: limit }, (_, at) => at + 1);
const post = (body: string | object, by = token) => postPlant({ ...service, token: by }, body);

it('reports the remaining requests, and rejects those above the limit', async () => {
  for (const id of ids) {
    const { status, headers } = await post({ id, name: 'n' });
    expect(status).toBe(200);
    expect(headers['ratelimit-policy']).toMatch(/^"plants"; q=10; w=60/);
    expect(headers['ratelimit']).toMatch(new RegExp(`^"plants"; r=${limit - id}; t=[1-6]?\\d$`));
  }
  const reply = await post({ id: limit + 1, name: 'n' });
  const seconds = reply.headers['retry-after'];
  expectError(reply, 'rate_limited', `Too many requests. Try again in ${seconds} seconds.`);
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(Number(seconds)).toBeLessThanOrEqual(60);
  expect(reply.headers['ratelimit-policy']).toMatch(/^"plants"; q=10; w=60/);
  expect(reply.headers['ratelimit']).toMatch(/^"plants"; r=0; t=[1-6]?\d$/);
  expect((await readPlants(service)).map(({ id }) => Number(id))).toEqual(ids);
});

it('counts each token separately, across addresses, and also a request that is rejected for its body', async () => {
  const { secret: another } = await service.accessTokens.issue({ name: 'another' });
  for (const id of ids) expect((await post('{').set('X-Forwarded-For', `10.0.0.${id}`)).status).toBe(400);
  expectError(await post('{').set('X-Forwarded-For', '10.0.1.1'), 'rate_limited', 'Too many requests.');
  expect((await post('{', another)).status).toBe(400);
});

it('does not count requests without a valid token', async () => {
  for (const _ of [0, ...ids]) {
    expect((await post('{}', 'unknown')).status).toBe(401);
    expect((await supertest(service.baseUrl).get('/openapi.json')).status).toBe(200);
  }
  expect((await post({ id: 1, name: 'n' })).headers['ratelimit']).toContain('r=9');
});

/** Sends batches of so many plants, one after the other. */
async function sendBatches(...sizes: number[]) {
  const client = createClient({ baseUrl: service.baseUrl, token, retries: 0 });
  const replies: Awaited<ReturnType<typeof client.createPlants>>[] = [];
  for (const length of sizes) {
    const plants = Array.from({ length }, (_, id) => ({ id, name: 'x' }));
    replies.push(await client.createPlants({ body: { plants } }));
  }
  return replies.map(({ status, headers, body }) => ({
    status,
    body,
    left: Number(/^"plants"; r=(\d+); t=[1-6]?\d$/.exec(headers.get('ratelimit') ?? '')?.[1]),
    retryAfter: Number(headers.get('retry-after')),
  }));
}

it('counts each plant of a batch, and one request for a batch with more plants than are left', async () => {
  const replies = await sendBatches(6, 5, 3, 1);
  expect(replies).toMatchObject([
    { status: 200, left: 4 },
    { status: 429, left: 3, body: { error: 42900 } },
    { status: 200, left: 0 },
    { status: 429, left: 0 },
  ]);
  expect(replies[1]?.retryAfter).toBeGreaterThan(0);
  expect(replies[1]?.retryAfter).toBeLessThanOrEqual(60);
});

it('finds a batch too large that has more plants than a minute permits, however many are left', async () => {
  const message =
    'The batch contains 11 plants, but this token is limited to 10 requests per minute. Send at most 10 in one request.';
  expect(await sendBatches(11, 9, 11)).toMatchObject([
    { status: 400, left: 9, retryAfter: 0, body: { error: 40006, message } },
    { status: 200, left: 0 },
    { status: 429 },
  ]);
});

it('counts each plant of a batch to update or to delete', async () => {
  const client = createClient({ baseUrl: service.baseUrl, token, retries: 0 });
  const plants = ids.slice(0, 6).map((id) => ({ id, name: 'x', ifMatch: '*' }));
  expect((await client.updatePlants({ body: { plants } })).status).toBe(200);
  expect((await client.updatePlants({ body: { plants } })).status).toBe(429);
  const body = { ids: ['1', '2', '3'], ifMatch: ['*', '*', '*'] };
  const reply = await client.deletePlants({ body });
  expect([reply.status, reply.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/; r=0; /)]);
});

it('has no limit by default', async () => {
  const unlimited = await startTestService();
  const { status, headers } = await postPlant(unlimited, { id: 1, name: 'n' });
  expect(status).toBe(200);
  expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});

it.each([
  ['less than all', { on: () => service, ratePerMinute: 3 }],
  ['more than all', { on: () => service, ratePerMinute: limit + 2 }],
  ['without a limit for all', { on: () => startTestService(), ratePerMinute: 3 }],
])('limits a token to its own number, %s', async (_, { on, ratePerMinute }) => {
  const target = await on();
  const { secret } = await target.accessTokens.issue({ name: 'own', ratePerMinute });
  const send = (id: number) => postPlant({ ...target, token: secret }, { id: 500 + id, name: 'n' });
  for (let id = 1; id <= ratePerMinute; id++)
    expect((await send(id)).headers).toMatchObject({
      'ratelimit-policy': expect.stringContaining(`"plants"; q=${ratePerMinute}; w=60`),
      ratelimit: expect.stringContaining(`"plants"; r=${ratePerMinute - id}; t=`),
    });
  expectError(await send(ratePerMinute + 1), 'rate_limited', 'Too many requests.');
});

it('a token may give no higher rate than the limit of all, which is its own', async () => {
  const { secret } = await service.accessTokens.issue({ name: 'admin', scopes: ['admin'] });
  const client = createClient({ baseUrl: service.baseUrl, token: secret });
  const create = (ratePerMinute: number) =>
    client.createToken({ body: { name: 'shop', scopes: ['admin'], ratePerMinute } });
  expect((await create(limit + 1)).status).toBe(403);
  expect((await create(limit)).status).toBe(200);
});
