import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectError, type Reply } from '../support/expect-error.js';
import { plantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { viewerPaths } from '../support/viewer-files.js';

const origin = 'https://app.example.com';
const another = 'http://localhost:5173';
const exposed = 'Retry-After,X-Request-Id,Idempotent-Replayed,RateLimit,RateLimit-Policy';

/** Sends the preflight of a page that is about to post a plant. */
function preflight({ baseUrl }: TestService, from: string, path = '/plants'): supertest.Test {
  return supertest(baseUrl)
    .options(path)
    .set('Origin', from)
    .set('Access-Control-Request-Method', 'POST')
    .set('Access-Control-Request-Headers', 'authorization,content-type');
}

function corsHeadersOf({ headers }: Reply): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');
}

describe('with origins configured', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ CORS_ORIGINS: `${origin}, ${another}`, RATE_LIMIT_PER_MINUTE: '100' });
  });
  afterAll(() => service.stop());

  /** Posts a plant as a page of the origin would. */
  const postFrom = (from: string, body: string | object) => postPlant(service, body).set('Origin', from);

  function expectReadable({ headers }: Reply, from = origin, vary = 'Origin'): void {
    expect(headers).toMatchObject({
      'access-control-allow-origin': from,
      'access-control-expose-headers': exposed,
      vary,
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  }

  it.each([origin, another])('lets a page of %s read a reply and its headers', async (from) => {
    await postFrom(from, { id: 1, name: 'Monstera' });
    const reply = await postFrom(from, { id: 1, name: 'Monstera' });
    expect(reply.status).toBe(200);
    expectReadable(reply, from);
    for (const name of ['x-request-id', 'idempotent-replayed', 'ratelimit', 'ratelimit-policy']) {
      expect(reply.headers).toHaveProperty(name);
      expect(exposed.toLowerCase().split(',')).toContain(name);
    }
  });

  it('answers a preflight, which has no token, and lets the browser cache it', async () => {
    const reply = await preflight(service, origin);
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expectReadable(reply);
    expect(reply.headers).toMatchObject({
      'access-control-allow-methods': expect.stringMatching(/\bPOST\b/),
      'access-control-allow-headers':
        'Authorization,Content-Type,X-Request-Id,traceparent,tracestate,baggage,sentry-trace',
      'access-control-max-age': '7200',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it('logs a preflight like any request, with one line', async () => {
    const { headers } = await preflight(service, origin).set('X-Request-Id', 'preflight-1');
    expect(headers['x-request-id']).toBe('preflight-1');
    const lines = await readLog(service, 'preflight-1');
    expect(lines).toMatchObject([{ method: 'OPTIONS', path: '/plants', status: 204, msg: 'request' }]);
  });

  it.each([
    'https://evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://sub.app.example.com',
    'https://app.example.com.evil.example',
    'https://APP.example.com',
    `${origin}, ${another}`,
    'null',
    '*',
    '',
  ])('gives a page of "%s" no more access than without the setting', async (from) => {
    const reply = await postFrom(from, { id: 1, name: 'Monstera' });
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply)).toEqual(['vary']);

    const rejected = await preflight(service, from);
    expectError(rejected, 'method_not_allowed', 'OPTIONS is not allowed on /plants.');
    expect(corsHeadersOf(rejected)).toEqual(['vary']);
    expect(rejected.headers['vary']).toBe('Origin');
  });

  it('answers the preflights of another origin on every path as any OPTIONS', async () => {
    const from = 'https://evil.example';
    expectError(await preflight(service, from, '/plants/1'), 'method_not_allowed', /^OPTIONS is not allowed/);
    expectError(await preflight(service, from, '/docs'), 'method_not_allowed', /^OPTIONS is not allowed/);
    expectError(await preflight(service, from, '/plant'), 'not_found', 'Nothing is served under /plant.');
  });

  it('answers a request without an origin as usual, but with Vary', async () => {
    const reply = await postPlant(service, { id: 1, name: 'Monstera' });
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply)).toEqual(['vary']);
    expect(reply.headers['vary']).toBe('Origin');
  });

  it('rejects OPTIONS that is not a preflight', async () => {
    const reply = await supertest(service.baseUrl).options('/plants').set('Origin', origin);
    expectError(reply, 'method_not_allowed', 'OPTIONS is not allowed on /plants.');
    expectReadable(reply);
  });

  it('lets a page read why its token, body or path is rejected', async () => {
    const noToken = await postFrom(origin, {}).unset('Authorization');
    expectError(noToken, 'missing_token', 'An access token is needed.');
    const malformed = await postFrom(origin, '{');
    expectError(malformed, 'malformed_json', /./);
    expect((await preflight(service, origin, '/plant')).status).toBe(204);
    const otherPath = await supertest(service.baseUrl).post('/plant').set('Origin', origin);
    expectError(otherPath, 'not_found', 'Nothing is served under /plant.');
    for (const reply of [noToken, malformed, otherPath]) expectReadable(reply);
  });

  it('lets a page read that the database is not available', async () => {
    const endOutage = await service.database.beginOutage('closed');
    const reply = await postFrom(origin, { id: 2, name: 'Fern' });
    await endOutage();
    expectError(reply, 'database_unavailable', /./);
    expectReadable(reply);
  });

  it.each(['/openapi.json', '/docs', viewerPaths.swaggerUiStyle])('lets a page read %s', async (path) => {
    const reply = await supertest(service.baseUrl).get(path).set('Origin', origin);
    expect(reply.status).toBe(200);
    expectReadable(reply, origin, 'Origin, Accept-Encoding');
    expect(corsHeadersOf(await supertest(service.baseUrl).get(path))).toEqual(['vary']);
  });

  // Each worker counts for itself.
  it.skipIf(inject('workers') > 1)('lets a page read that it exceeded the rate limit', async () => {
    const { text: token } = await service.accessTokens.issue({ name: 'fast' });
    const send = () => postPlant({ ...service, token }, '{').set('Origin', origin);
    for (let time = 1; time <= 100; time++) await send();
    const reply = await send();
    expectError(reply, 'rate_limited', 'Too many requests.');
    expectReadable(reply);
  });
});

describe('by default', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('sends no CORS headers, and does not answer preflights', async () => {
    const reply = await plantRequest(service).set('Origin', origin).send('{"id":1,"name":"Monstera"}');
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply)).toEqual([]);

    const rejected = await preflight(service, origin);
    expectError(
      rejected,
      'method_not_allowed',
      'OPTIONS is not allowed on /plants. Use POST or GET or HEAD.',
    );
    expect(corsHeadersOf(rejected)).toEqual([]);
  });

  // Each worker logs for itself.
  it.skipIf(inject('workers') > 1)(
    'logs the origin of a page whose preflight is not permitted, once for each, and of 10 at most',
    async () => {
      const warnings = () =>
        service.logLines
          .map((line) => JSON.parse(line))
          .filter(({ level }) => level === 40)
          .map(({ origin: refused, msg }) => [refused, msg]);
      await service.stop();
      service = await startTestService();
      // A page of the same origin sends its origin, too, but no preflight.
      await plantRequest(service).set('Origin', origin).send('{"id":1,"name":"Monstera"}');
      await preflight(service, `https://${'a'.repeat(300)}.example`);
      expect(warnings()).toEqual([]);

      const message = 'CORS_ORIGINS does not permit the origin of a page';
      for (const from of [origin, origin, another]) await preflight(service, from);
      expect(warnings()).toEqual([
        [origin, message],
        [another, message],
      ]);
      for (let page = 1; page <= 20; page++) await preflight(service, `https://${page}.example`);
      expect(warnings()).toHaveLength(10);
    },
  );
});
