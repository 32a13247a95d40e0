import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, type Reply } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

let service: TestService;
const warnings: Error[] = [];
const keepWarning = (warning: Error) => void warnings.push(warning);
beforeAll(async () => {
  service = await startTestService();
  process.on('warning', keepWarning);
});
afterAll(async () => {
  process.off('warning', keepWarning);
  await service.stop();
});

const body = '{"id":1,"name":"Monstera"}';

/** Composes a valid create with another target, where `TOKEN` is replaced with the token. */
function composeFor(target: string, method = 'POST'): string {
  const written = target.replaceAll('TOKEN', service.token);
  return composePlantRequest(service, body).toString().replace('POST /plants', `${method} ${written}`);
}

/** Checks that a reply has the headers of all replies. */
function expectCommonHeaders({ headers }: Reply): void {
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-request-id': expect.any(String),
    date: expect.stringMatching(/GMT$/),
  });
}

const secret = () => service.token.slice('pst_'.length, 'pst_'.length + 12);

describe.each(['POST', 'GET', 'OPTIONS', 'CONNECT'])('an invalid target of %s', (method) => {
  it.each<[target: string, path: string]>([
    ['http://?x', '/'],
    ['http://', '/'],
    ['http://:80', '/'],
    ['http:///plants', '/plants'],
    ['http://[::1/plants', '/plants'],
    ['http://a:b@c:d/plants?access_token=TOKEN', '/plants'],
    ['http://user:TOKEN@plants.example/plants', '/plants'],
    ['http://plants.example:99999/plants', '/plants'],
    ['http://%/plants#TOKEN', '/plants'],
    ['x://', '/'],
    ['x://TOKEN', '/'],
    ['ftp://plants.example/plants', '/plants'],
    ['file:///TOKEN', '/pst_***'],
    ['*/plants', '/'],
  ])('is rejected, and logged without a token: %s', async (target, path) => {
    const linesBefore = service.logLines.length;
    const reply = await sendRaw(service.baseUrl, composeFor(target, method));
    expectError(reply, 'bad_request', /^The target of the request is not valid\./);
    expectCommonHeaders(reply);
    const lines = await readLog(service, reply.headers['x-request-id']);
    expect(lines).toMatchObject([{ method, path, status: 400, error: 40000, msg: 'request' }]);
    expect(service.logLines.slice(linesBefore).join('')).not.toContain(secret());
  });
});

describe('a target that the parser rejects', () => {
  it.each(['plants', 'x:', '?', '#', '\\plants', 'http://a b/plants', 'TOKEN:80'])(
    'is answered `bad_request`, and logged once without its text: %s',
    async (target) => {
      const linesBefore = service.logLines.length;
      const reply = await sendRaw(service.baseUrl, composeFor(target));
      expectError(reply, 'bad_request', /HPE_INVALID_/);
      expectCommonHeaders(reply);
      const lines = await until(() => {
        const logged = service.logLines.slice(linesBefore);
        return logged.length > 0 && logged;
      });
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { requestId: reply.headers['x-request-id'], error: 40000, msg: 'malformed HTTP' },
      ]);
      expect(lines.join('')).not.toContain(secret());
    },
  );
});

it.each(['OPTIONS', 'POST'])('is not found if it is the asterisk form: %s *', async (method) => {
  const reply = await sendRaw(service.baseUrl, composeFor('*', method));
  expectError(reply, 'not_found', 'Nothing is served under /*.');
});

it('stores nothing and emits no process warnings if it is invalid', async () => {
  expect(await readPlants(service)).toEqual([]);
  expect(warnings).toEqual([]);
});

it.each(['http://plants.example', 'http://plants.example?x=1', 'https://[::1]:8443/#x'])(
  'is the root if it has no path: %s',
  async (target) => {
    const reply = await sendRaw(service.baseUrl, composeFor(target));
    expectError(reply, 'not_found', /^Nothing is served under \/\.$/);
  },
);

it.each([
  'http://plants.example/plants',
  'HTTPS://plants.example:8443/plants?#TOKEN',
  'http://[::1]/plants',
  'http://TOKEN/plants',
  '/plants#TOKEN',
  '/plants?#TOKEN',
])('is routed by its path, whatever host it names: %s', async (target) => {
  const linesBefore = service.logLines.length;
  const reply = sendRaw(service.baseUrl, composeFor(target));
  await expectStored(service, reply, { id: '1', name: 'Monstera', tag: null });
  const lines = await readLog(service, (await reply).headers['x-request-id']);
  expect(lines).toMatchObject([{ method: 'POST', path: '/plants', status: 200 }]);
  expect(service.logLines.slice(linesBefore).join('')).not.toContain(secret());
});

describe('CONNECT', () => {
  it.each<[string, 'bad_request' | 'method_not_allowed' | 'not_found', string | undefined]>([
    ['plants.example:443', 'bad_request', undefined],
    ['TOKEN:80', 'bad_request', undefined],
    ['/plants', 'method_not_allowed', 'POST, GET, HEAD'],
    ['/nowhere', 'not_found', undefined],
  ])(
    'gets the reply of any other method to %s, and the connection is closed',
    async (target, error, allow) => {
      const connection = await openConnection(service.baseUrl);
      connection.write(composeFor(target, 'CONNECT'));
      const reply = await connection.readReply();
      expectError(reply, error, /./);
      expectCommonHeaders(reply);
      expect(reply.headers).toMatchObject({ connection: 'close' });
      expect(reply.headers['allow']).toBe(allow);
      expect(await connection.readToEnd()).toBe('');
    },
  );

  it('is answered after the requests before it', async () => {
    const connection = await openConnection(service.baseUrl);
    connection.write([composeFor('/plants'), composeFor('/plants'), composeFor('a:1', 'CONNECT')].join(''));
    for (const _ of [1, 2]) expect(await connection.readReply()).toMatchObject({ status: 200 });
    expectError(await connection.readReply(), 'bad_request', /target/);
    expect(await connection.readToEnd()).toBe('');
  });

  it('leaves the service working if its client disconnects immediately', async () => {
    const connection = await openConnection(service.baseUrl);
    connection.write([composeFor('/plants'), composeFor('a:1', 'CONNECT')].join(''));
    connection.destroy();
    expect((await sendRaw(service.baseUrl, composeFor('/plants'))).status).toBe(200);
  });
});
