import { createHash } from 'node:crypto';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { plantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('a token is in no line of the log', () => {
  const plant = { id: 1, name: 'Monstera' };

  it.each<[string, (token: string) => supertest.Test]>([
    ['sent correctly', () => postPlant(service, plant)],
    ['sent without a scheme', (token) => plantRequest(service).set('Authorization', token)],
    ['truncated', (token) => plantRequest(service).set('Authorization', `Bearer ${token.slice(0, -1)}`)],
    ['in the query', (token) => postPlant(service, plant).query({ access_token: token })],
    ['in a path', (token) => supertest(service.baseUrl).get(`/plants/${token}/leaves`)],
    ['truncated, in a path', (token) => supertest(service.baseUrl).get(`/${token.slice(0, -1)}`)],
    ['as the content type', (token) => plantRequest(service).set('Content-Type', token).send('{}')],
    ['as the user agent', (token) => postPlant(service, plant).set('User-Agent', token)],
    ['in malformed JSON', (token) => postPlant(service, token)],
    ['as the name of a plant', (token) => postPlant(service, { id: 2, name: token })],
    ['as the name of an unknown field', (token) => postPlant(service, { id: 3, [token]: token })],
  ])('%s', async (_, request) => {
    const linesBefore = service.logLines.length;
    const { headers } = await request(service.token);
    await readLog(service, headers['x-request-id']);
    expectNoToken(service.logLines.slice(linesBefore).join(''));
  });

  it.each<[string, (token: string) => string]>([
    ['complete', (token) => token],
    ['truncated', (token) => token.slice(0, -1)],
    ['with a prefix and a suffix', (token) => `a-${token}-b`],
  ])('as the request id, %s', async (_, requestId) => {
    const linesBefore = service.logLines.length;
    const proposed = requestId(service.token);
    const { headers } = await postPlant(service, plant).set('X-Request-Id', proposed);
    expect(headers['x-request-id']).not.toBe(proposed);
    await readLog(service, headers['x-request-id']);
    expectNoToken(service.logLines.slice(linesBefore).join(''));
  });

  it('when the table of tokens is missing', async () => {
    const { text } = await service.accessTokens.issue({ name: 'not cached' });
    await service.database.query('ALTER TABLE access_tokens RENAME TO elsewhere');
    const reply = await plantRequest({ ...service, token: text }).send(plant);
    expectError(reply, 'internal_error', 'unexpected error');
    const lines = await readLog(service, reply.headers['x-request-id']);
    expect(lines.map(({ level }) => level)).toContain(50);
    expectNoToken(service.logLines.join(''), text);

    await service.database.query('ALTER TABLE elsewhere RENAME TO access_tokens');
    expect((await plantRequest({ ...service, token: text }).send(plant)).status).toBe(200);
  });
});

it('stores nothing of a token but its SHA-256', async () => {
  const { text } = await service.accessTokens.issue({ name: 'hashed' });
  const content = await service.database.readEverything();
  expect(content).toContain(createHash('sha256').update(text).digest('hex'));
  expectNoToken(content, text);
});

/** Fails if a text contains more of the token than its prefix and a few letters. */
function expectNoToken(text: string, token = service.token): void {
  expect(text).not.toContain(token.slice('pst_'.length, 'pst_'.length + 12));
}
