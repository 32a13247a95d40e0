import supertest from 'supertest';
import { expect, inject, it } from 'vitest';
import { expectError, type Reply } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { findLines, readLog } from '../support/read-log.js';
import { useTestService } from '../support/start-test-service.js';

const origin = 'https://app.example.com';
const another = 'http://localhost:5173';
const exposed = 'ETag,Link,Retry-After,X-Request-Id,Idempotent-Replayed,RateLimit,RateLimit-Policy';
const monstera = { id: 1, name: 'Monstera' };

const service = useTestService({ CORS_ORIGINS: `${origin}, ${another}`, RATE_LIMIT_PER_MINUTE: '40' });
/** Without the setting. */
const closed = useTestService();

/** Sends the preflight of a page that is about to post a plant. */
function preflight(from: string, path = '/plants', { baseUrl } = service): supertest.Test {
  return supertest(baseUrl)
    .options(path)
    .set('Origin', from)
    .set('Access-Control-Request-Method', 'POST')
    .set('Access-Control-Request-Headers', 'authorization,content-type');
}

/** Posts a plant as a page of the origin would. */
const postFrom = (from: string, body: string | object) => postPlant(service, body).set('Origin', from);

function corsHeadersOf({ headers }: Reply): Record<string, string | undefined> {
  const isOfCors = (name: string) => name.startsWith('access-control-') || name === 'vary';
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isOfCors(name)));
}

/** Expects that a page can read a reply, and the headers that it may want to. */
function expectReadable(reply: Reply, from = origin): void {
  const permitted = { 'access-control-allow-origin': from, 'access-control-expose-headers': exposed };
  expect(corsHeadersOf(reply)).toMatchObject({ ...permitted, vary: 'Origin' });
  expect(reply.headers).not.toHaveProperty('access-control-allow-credentials');
}

it.each([origin, another])('lets a page of %s read a reply and its headers', async (from) => {
  await postFrom(from, monstera);
  const reply = await postFrom(from, monstera);
  expect(reply.status).toBe(200);
  expectReadable(reply, from);
  for (const name of ['x-request-id', 'idempotent-replayed', 'ratelimit', 'ratelimit-policy']) {
    expect(reply.headers).toHaveProperty(name);
    expect(exposed.toLowerCase().split(',')).toContain(name);
  }
});

it('answers a preflight, which has no token, logs it, and lets the browser cache it', async () => {
  const reply = await preflight(origin).set('X-Request-Id', 'preflight-1');
  expect([reply.status, reply.text]).toEqual([204, '']);
  expectReadable(reply);
  expect(reply.headers).toMatchObject({
    'access-control-allow-methods': expect.stringMatching(/\bPOST,GET,PUT\b/),
    'access-control-allow-headers':
      'Authorization,Content-Type,X-Request-Id,If-Match,If-None-Match,traceparent,tracestate,baggage,sentry-trace',
    'access-control-max-age': '7200',
    'x-request-id': 'preflight-1',
    'x-content-type-options': 'nosniff',
  });
  expect(reply.headers).not.toHaveProperty('content-length');
  const lines = await readLog(service, 'preflight-1');
  expect(lines).toMatchObject([{ method: 'OPTIONS', path: '/plants', status: 204, msg: 'request' }]);
});

it.each([
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com.evil.example',
  `${origin}, ${another}`,
  'null',
  '*',
  '',
])('gives a page of "%s" no more access than without the setting', async (from) => {
  const reply = await postFrom(from, monstera);
  expect([reply.status, corsHeadersOf(reply)]).toEqual([200, { vary: 'Origin' }]);
  const rejected = await preflight(from);
  expectError(rejected, 'method_not_allowed', 'OPTIONS is not allowed on /plants.');
  expect(corsHeadersOf(rejected)).toEqual({ vary: 'Origin' });
});

it('lets a page read why its token, body, path, or method is rejected', async () => {
  const noToken = await postFrom(origin, {}).unset('Authorization');
  expectError(noToken, 'missing_token', 'The request has no access token.');
  const malformed = await postFrom(origin, '{');
  expectError(malformed, 'malformed_json', /./);
  expect((await preflight(origin, '/plant')).status).toBe(204);
  const otherPath = await supertest(service.baseUrl).post('/plant').set('Origin', origin);
  expectError(otherPath, 'not_found', 'There is nothing at /plant.');
  const noPreflight = await supertest(service.baseUrl).options('/plants').set('Origin', origin);
  expectError(noPreflight, 'method_not_allowed', 'OPTIONS is not allowed on /plants.');
  for (const reply of [noToken, malformed, otherPath, noPreflight]) expectReadable(reply);
});

// Each worker logs for itself.
it.skipIf(inject('workers') > 1)(
  'by default sends no CORS headers, answers no preflight, and logs their origins, each once and 10 at most',
  async () => {
    const warnings = () => {
      const lines = findLines(closed).filter(({ level }) => level === 40);
      return lines.map((line) => [line['origin'], line.msg]);
    };
    // A page of the same origin sends its origin, too, but no preflight.
    const reply = await postPlant(closed, monstera).set('Origin', origin);
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply)).toEqual({});
    await preflight(`https://${'a'.repeat(300)}.example`, '/plants', closed);
    expect(warnings()).toEqual([]);

    for (const from of [origin, origin, another]) {
      const rejected = await preflight(from, '/plants', closed);
      const message = 'OPTIONS is not allowed on /plants. Use POST or GET or HEAD.';
      expectError(rejected, 'method_not_allowed', message);
      expect(corsHeadersOf(rejected)).toEqual({});
    }
    const message = 'the origin of a page is not in CORS_ORIGINS';
    expect(warnings()).toEqual([origin, another].map((from) => [from, message]));
    for (let page = 1; page <= 20; page++) await preflight(`https://${page}.example`, '/plants', closed);
    expect(warnings()).toHaveLength(10);
  },
);

it.each(['/openapi.json', '/docs'])('lets a page read %s', async (path) => {
  const { status, headers } = await supertest(service.baseUrl).get(path).set('Origin', origin);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    vary: expect.stringContaining('Origin'),
  });
});
