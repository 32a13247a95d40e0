import supertest from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, plantRequest } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const body = '{"id":1,"name":"Monstera"}';

/** Sends a valid plant to a verbatim target, with this method. */
function sendTo(target: string, method = 'POST') {
  const request = composePlantRequest(service, body).toString();
  return sendRaw(service.baseUrl, request.replace('POST /plants', `${method} ${target}`));
}

describe('a request that is rejected', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'])(
    'has another method: %s',
    async (method) => {
      const reply = await sendTo('/plants', method);
      expectError(
        reply,
        'method_not_allowed',
        `${method} is not allowed on /plants. Use POST or GET or HEAD.`,
      );
      expect(reply.headers['allow']).toBe('POST, GET, HEAD');
    },
  );

  it('has the method HEAD where there is no GET, and gets no body', async () => {
    const { status, headers, text } = await supertest(service.baseUrl).head('/plants/batch/1');
    expect(status).toBe(404);
    expect(text ?? '').toBe('');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toMatch(/./);
  });

  const paths = [
    '/',
    '/plant',
    '/Plants',
    '/PLANTS',
    '/plants/',
    '//plants',
    '/plants/1/2/3',
    '/plants;x=1',
    '/plants%2F',
    '/plants%00',
    '/%70lants',
    '/v1/plants',
    '/./plants',
    '/x/../plants',
    '/__proto__',
    '/constructor',
    '/%',
    '/%E0%A4%A',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/openapi.json/',
    '/OpenAPI.json',
    '/*',
  ];
  it.each(paths)('has another path: POST %s', async (path) => {
    expectError(await sendTo(path), 'not_found', `Nothing is served under ${path}.`);
  });
  it.each(paths)('has another path: GET %s', async (path) => {
    expectError(await sendTo(path, 'GET'), 'not_found', `Nothing is served under ${path}.`);
  });

  it('has a very long path, which the message truncates', async () => {
    const reply = await sendTo(`/${'a'.repeat(10_000)}`);
    expectError(reply, 'not_found', /^Nothing is served under \/a{100,250}…\.$/);
    expectError(
      await sendTo(`/plants/${'1'.repeat(10_000)}`, 'PUT'),
      'method_not_allowed',
      /^PUT is not allowed on \/plants\/1{100,250}…\. Use /,
    );
  });

  it('has a query, which the message omits', async () => {
    expectError(await sendTo('/plant?secret=1'), 'not_found', /^Nothing is served under \/plant\.$/);
    expectError(await sendTo('/plants?secret=1', 'PUT'), 'method_not_allowed', /on \/plants\./);
  });
});

describe('a request that is accepted', () => {
  it.each(['/plants', '/plants?', '/plants?&&', 'http://plants.example/plants'])(
    'names the target %s',
    async (target) => {
      await expectStored(service, sendTo(target), { id: '1', name: 'Monstera', tag: null });
      expect('polluted' in {}).toBe(false);
    },
  );
});

describe('a query that its operation does not define', () => {
  const queries = [
    ['x=1', 'x'],
    ['id=2&name=other&tag=x', 'id'],
    ['__proto__[polluted]=1&constructor.prototype.polluted=1', '__proto__[polluted]'],
    ['x=1&'.repeat(2_000), 'x'],
    ['%E0%A4%A', '%E0%A4%A'],
    ['x'.repeat(500), `${'x'.repeat(120)}…`],
  ] as const;

  it.each(
    queries.flatMap(([query, name]) =>
      [
        { method: 'POST', path: '/plants', names: ': there are none here' },
        { method: 'GET', path: '/plants', names: ': there are limit, after, order, tag, q' },
        { method: 'GET', path: '/plants/1', names: ': there are none here' },
        { method: 'DELETE', path: '/plants/1', names: ': there are none here' },
      ].map((request) => ({ ...request, query, name })),
    ),
  )(
    'is rejected, and its first parameter named: $method $path?$query',
    async ({ method, path, query, name, names }) => {
      const reply = await sendTo(`${path}?${query}`, method);
      expectError(reply, 'bad_request', /^The request is not valid: /);
      if (!(path === '/plants' && method === 'GET' && name === 'id'))
        expect(reply.body).toMatchObject({
          message: expect.stringContaining(`the query parameter ${name} is not known${names}.`),
        });
      expect('polluted' in {}).toBe(false);
    },
  );
});

it('still stores a plant', async () => {
  const request = plantRequest(service).send('{"id":2,"name":"Fern"}');
  await expectStored(service, request, { id: '2', name: 'Fern', tag: null });
});
