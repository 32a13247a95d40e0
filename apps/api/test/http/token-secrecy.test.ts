import { createHash } from 'node:crypto';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { plantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

const plant = { id: 1, name: 'Monstera' };
const withHeader = (name: string, value: string) => postPlant(service, plant).set(name, value);

it.each<[string, (token: string) => supertest.Test]>([
  ['sent correctly', () => postPlant(service, plant)],
  ['sent without a scheme', (token) => withHeader('Authorization', token)],
  ['truncated', (token) => withHeader('Authorization', `Bearer ${token.slice(0, -1)}`)],
  ['in the query', (token) => postPlant(service, plant).query({ access_token: token })],
  ['in a path', (token) => supertest(service.baseUrl).get(`/plants/${token}/leaves`)],
  ['truncated, in a path', (token) => supertest(service.baseUrl).get(`/${token.slice(0, -1)}`)],
  ['as the content type', (token) => withHeader('Content-Type', token)],
  ['as the user agent', (token) => withHeader('User-Agent', token)],
  ['as the request id', (token) => withHeader('X-Request-Id', token)],
  ['as the request id, truncated', (token) => withHeader('X-Request-Id', token.slice(0, -1))],
  ['in the request id', (token) => withHeader('X-Request-Id', `a-${token}-b`)],
  ['in malformed JSON', (token) => postPlant(service, token)],
  ['as the name of a plant', (token) => postPlant(service, { id: 2, name: token })],
  ['as the name of an unknown field', (token) => postPlant(service, { id: 3, [token]: token })],
])('a token is in no line of the log: %s', async (_, request) => {
  const linesBefore = service.logLines.length;
  const { headers } = await request(service.token);
  expectNoToken(headers['x-request-id'] ?? '');
  await readLog(service, headers['x-request-id']);
  expectNoToken(service.logLines.slice(linesBefore).join(''));
});

it('a token is in no line of the log when the table of tokens is missing', async () => {
  const { secret: text } = await service.accessTokens.issue({ name: 'not cached' });
  await service.database.query('ALTER TABLE access_tokens RENAME TO elsewhere');
  const reply = await plantRequest({ ...service, token: text }).send(plant);
  await service.database.query('ALTER TABLE elsewhere RENAME TO access_tokens');
  expectError(reply, 'internal_error', 'unexpected error');
  const lines = await readLog(service, reply.headers['x-request-id']);
  expect(lines.map(({ level }) => level)).toContain(50);
  expectNoToken(service.logLines.join(''), text);
});

it('stores nothing of a token but its SHA-256', async () => {
  const { secret: text } = await service.accessTokens.issue({ name: 'hashed' });
  const content = await service.database.readEverything();
  expect(content).toContain(createHash('sha256').update(text).digest('hex'));
  expectNoToken(content, text);
});

/** Fails if a text contains more of the token than its prefix and a few letters. */
function expectNoToken(text: string, token = service.token): void {
  expect(text).not.toContain(token.slice('pst_'.length, 'pst_'.length + 12));
}
