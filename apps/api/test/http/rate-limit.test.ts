import { createClient } from '@plant-store/client';
import supertest from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

const limit = 3;

describe(`with a limit of ${limit} requests per minute`, () => {
  let service: TestService;
  let token: string;
  beforeAll(async () => {
    service = await startTestService({ RATE_LIMIT_PER_MINUTE: String(limit) });
  });
  beforeEach(async () => {
    token = (await service.accessTokens.issue({ name: 'limited' })).text;
  });
  afterAll(() => service.stop());

  it('reports the remaining requests, and rejects those above the limit', async () => {
    for (let id = 1; id <= limit; id++) {
      const { status, headers } = await postPlant({ ...service, token }, { id, name: 'n' });
      expect(status).toBe(200);
      expect(headers['ratelimit-policy']).toMatch(/^"plants"; q=3; w=60/);
      expect(headers['ratelimit']).toMatch(new RegExp(`^"plants"; r=${limit - id}; t=[1-6]?\\d$`));
    }

    const reply = await postPlant({ ...service, token }, { id: limit + 1, name: 'n' });
    const seconds = reply.headers['retry-after'];
    expectError(reply, 'rate_limited', `Too many requests. Try again in ${seconds} s.`);
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(60);
    expect(reply.headers['ratelimit-policy']).toMatch(/^"plants"; q=3; w=60/);
    expect(reply.headers['ratelimit']).toMatch(/^"plants"; r=0; t=[1-6]?\d$/);
    expect((await readPlants(service)).map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('counts each token separately, across addresses', async () => {
    const { text: another } = await service.accessTokens.issue({ name: 'another' });
    const send = (of: string, address: string) =>
      postPlant({ ...service, token: of }, { id: 1, name: 'n' }).set('X-Forwarded-For', address);
    for (let time = 1; time <= limit; time++) expect((await send(token, `10.0.0.${time}`)).status).toBe(200);

    expect((await send(token, '10.0.0.9')).status).toBe(429);
    expect((await send(another, '10.0.0.9')).status).toBe(200);
  });

  it('counts a request that is rejected for its body', async () => {
    for (let time = 1; time <= limit; time++) {
      expect((await postPlant({ ...service, token }, '{')).status).toBe(400);
    }
    expectError(await postPlant({ ...service, token }, '{'), 'rate_limited', 'Too many requests.');
  });

  it('reports the remaining requests with a failure of the service, too', async () => {
    await service.database.query('ALTER TABLE plants RENAME TO elsewhere');
    const { status, headers } = await postPlant({ ...service, token }, { id: 9, name: 'n' });
    await service.database.query('ALTER TABLE elsewhere RENAME TO plants');
    expect(status).toBe(500);
    expect(headers).toMatchObject({
      'ratelimit-policy': expect.stringMatching(/^"plants"; q=3; w=60/),
      ratelimit: expect.stringMatching(/^"plants"; r=2; t=/),
    });
  });

  it('does not count requests without a valid token', async () => {
    for (let time = 1; time <= limit + 1; time++) {
      expect((await postPlant({ ...service, token: 'unknown' }, '{}')).status).toBe(401);
      expect((await supertest(service.baseUrl).get('/openapi.json')).status).toBe(200);
    }
    expect((await postPlant({ ...service, token }, { id: 1, name: 'n' })).status).toBe(200);
  });
});

describe('with a limit of 10 requests per minute, a batch', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ RATE_LIMIT_PER_MINUTE: '10' });
  });
  afterAll(() => service.stop());

  /** Sends batches of so many plants, one after the other, with a new token. */
  async function sendBatches(...sizes: number[]) {
    const { text: token } = await service.accessTokens.issue({ name: 'limited' });
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

  it('counts each plant, and sends what is left after it', async () => {
    expect(await sendBatches(6, 1, 3)).toMatchObject([
      { status: 200, left: 4 },
      { status: 200, left: 3 },
      { status: 200, left: 0 },
    ]);
  });

  it('counts as one request when it has more plants than are left', async () => {
    const [, rejected, fitting, last] = await sendBatches(6, 5, 3, 1);
    expect(rejected).toMatchObject({ status: 429, left: 3, body: { error: 42900 } });
    expect(rejected?.retryAfter).toBeGreaterThan(0);
    expect(rejected?.retryAfter).toBeLessThanOrEqual(60);
    expect([fitting, last]).toMatchObject([
      { status: 200, left: 0 },
      { status: 429, left: 0 },
    ]);
  });

  it('is too large when it has more plants than a minute permits, however many are left', async () => {
    const [tooLarge, fitting, later] = await sendBatches(11, 9, 11);
    const body = {
      error: 40006,
      message:
        'The batch has 11 plants, and this token may make 10 requests a minute. Send at most 10 in one request.',
    };
    expect(tooLarge).toMatchObject({ status: 400, left: 9, retryAfter: 0, body });
    expect([fitting, later]).toMatchObject([{ status: 200, left: 0 }, { status: 429 }]);
  });
});

it('has no limit by default', async () => {
  const service = await startTestService();
  const { status, headers } = await postPlant(service, { id: 1, name: 'n' });
  expect(status).toBe(200);
  expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  await service.stop();
});
