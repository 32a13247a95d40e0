import type { ErrorName } from '@plant-store/contract/errors';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

// Guards upgrades of ts-rest: the order in which it validates, and the shape of its `RequestValidationError`.

const limit = 100;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BODY_MAX_BYTES: String(limit) });
  expect((await postPlant(service, { id: 1, name: 'Monstera' })).status).toBe(200);
});
afterAll(() => service.stop());

const unknownToken = `Bearer ${generateAccessToken()}`;

// Each body has the error that it is named after, and those of the bodies below it.
const tooLarge = '{"id":1,"name":7,'.padEnd(limit + 1);
const malformed = '{"id":1,"name":7,';
const invalid = '{"id":1,"name":7}';
const taken = '{"id":1,"name":"another"}';

interface RequestParts {
  readonly target?: string;
  readonly authorization?: string | undefined;
  readonly contentType?: string;
  readonly body: string;
}

const text = 'text/plain';
/** Each request has the error that it is rejected with, and all later ones. */
const requests: [ErrorName, RequestParts][] = [
  ['not_found', { target: 'GET /plant', authorization: undefined, contentType: text, body: tooLarge }],
  [
    'method_not_allowed',
    { target: 'PUT /plants', authorization: undefined, contentType: text, body: tooLarge },
  ],
  ['missing_token', { authorization: undefined, contentType: text, body: tooLarge }],
  ['invalid_token', { authorization: unknownToken, contentType: text, body: tooLarge }],
  ['unsupported_content_type', { contentType: text, body: tooLarge }],
  ['body_too_large', { body: tooLarge }],
  ['malformed_json', { body: malformed }],
  ['invalid_plant', { body: invalid }],
  ['id_taken', { body: taken }],
];

it.each(requests)('reports %s before every later error', async (name, parts) => {
  const { target = 'POST /plants', contentType = 'application/json', body } = parts;
  const authorization = 'authorization' in parts ? parts.authorization : `Bearer ${service.token}`;
  const headers = { Authorization: authorization, 'Content-Type': contentType };
  const request = composePlantRequest(service, body, headers).toString().replace('POST /plants', target);

  expectError(await sendRaw(service.baseUrl, request), name, /./);
  expect(await readPlants(service)).toEqual([{ id: '1', name: 'Monstera', tag: null }]);
});

// Each worker would count for itself.
it.skipIf(inject('workers') > 1)(
  'reports that too many tokens were wrong before every later error',
  async () => {
    const limited = await startTestService({ AUTH_FAILURES_PER_MINUTE: '1' });
    const headers = { Authorization: 'Bearer x', 'Content-Type': text };
    const request = composePlantRequest(limited, tooLarge, headers);
    expectError(await sendRaw(limited.baseUrl, request), 'invalid_token', /./);
    expectError(await sendRaw(limited.baseUrl, request), 'rate_limited', /./);
    await limited.stop();
  },
);

it('reports a chunked body as too large before its other errors', async () => {
  const headers = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  const chunks = `${tooLarge.length.toString(16)}\r\n${tooLarge}\r\n0\r\n\r\n`;
  const reply = await sendRaw(service.baseUrl, composePlantRequest(service, chunks, headers));
  expectError(reply, 'body_too_large', String(limit));
});

it('still stores a plant', async () => {
  await expectStored(service, postPlant(service, { id: 2, name: 'Fern' }), {
    id: '2',
    name: 'Fern',
    tag: null,
  });
});
