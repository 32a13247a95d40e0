import supertest from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { expectError, type Reply } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { plantRequest } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const body = '{"id":1,"name":"Monstera"}';

/** Sends a plant with or without an Authorization header. */
function send(authorization?: string): PromiseLike<Reply> {
  const request = supertest(service.baseUrl).post('/plants').set('Content-Type', 'application/json');
  return (authorization === undefined ? request : request.set('Authorization', authorization)).send(body);
}

describe('a request that is rejected', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it.each<[string, (token: string) => string | undefined]>([
    ['no Authorization header', () => undefined],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and spaces', () => 'Bearer   '],
    ['another scheme', () => 'Basic dXNlcjpwYXNzd29yZA=='],
    ['the token under another scheme', (token) => `Token ${token}`],
    ['the token without a scheme', (token) => token],
    ['the scheme run into the token', (token) => `Bearer${token}`],
  ])('has no bearer token: %s', async (_, authorization) => {
    const reply = await send(authorization(service.token));
    expectError(reply, 'missing_token', 'Send it as Authorization: Bearer <ACCESS_TOKEN>.');
  });

  it('has a token only in another place', async () => {
    const reply = await supertest(service.baseUrl)
      .post('/plants')
      .query({ access_token: service.token })
      .set({ Cookie: `access_token=${service.token}`, 'X-Access-Token': service.token })
      .send({ id: 1, name: 'Monstera', access_token: service.token });
    expectError(reply, 'missing_token', 'An access token is needed.');
  });

  it.each<[string, (token: string) => string]>([
    ['of another form', () => 'secret'],
    ['with one letter mistyped', (token) => mistype(token, 10)],
    ['with one letter of the check mistyped', (token) => mistype(token, token.length - 1)],
    ['without its last letter', (token) => token.slice(0, -1)],
    ['without its prefix', (token) => token.slice('pst_'.length)],
    ['with one letter too many', (token) => `${token}0`],
    ['in capitals', (token) => token.toUpperCase()],
    ['given twice', (token) => `${token} ${token}`],
    ['in quotes', (token) => `"${token}"`],
    ['in a list', (token) => `${token}, Bearer ${token}`],
  ])('has a malformed token: %s', async (_, change) => {
    expectError(await send(`Bearer ${change(service.token)}`), 'invalid_token', 'not complete, or mistyped');
  });

  it('has a token that was never issued', async () => {
    expectError(await send(`Bearer ${generateAccessToken()}`), 'invalid_token', 'is not known here');
  });

  it('has a token that has expired', async () => {
    const expiresAt = new Date(Date.now() - 1);
    const { text } = await service.accessTokens.issue({ name: 'expired', expiresAt });
    expectError(await send(`Bearer ${text}`), 'invalid_token', 'has expired');
  });

  it('has a token that was revoked before its first use', async () => {
    const { text, token } = await service.accessTokens.issue({ name: 'revoked' });
    await service.accessTokens.revoke(token.id);
    expectError(await send(`Bearer ${text}`), 'invalid_token', 'was revoked');
  });
});

describe('a request that is accepted', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('names the scheme as %s', async (scheme) => {
    const row = { id: '1', name: 'Monstera', tag: null };
    await expectStored(service, send(`${scheme} ${service.token}`), row);
  });

  it('may separate scheme and token by several spaces', async () => {
    expect((await send(`Bearer   ${service.token}`)).status).toBe(200);
  });

  it('may have a token that expires later', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { text } = await service.accessTokens.issue({ name: 'expires', expiresAt });
    const row = { id: '2', name: 'Fern', tag: null };
    const request = plantRequest({ ...service, token: text }).send('{"id":2,"name":"Fern"}');
    await expectStored(service, request, row);
  });
});

// In another process than that of the tokens it takes up to 3 seconds, as after the command `token revoke`.
it.skipIf(inject('workers') > 1)(
  'rejects a token in use as soon as it is revoked, and no other',
  async () => {
    const { text, token } = await service.accessTokens.issue({ name: 'to revoke' });
    expect((await send(`Bearer ${text}`)).status).toBe(200);

    await service.accessTokens.revoke(token.id);
    expectError(await send(`Bearer ${text}`), 'invalid_token', 'was revoked');
    expect((await send(`Bearer ${service.token}`)).status).toBe(200);
  },
);

/** Replaces the letter at a position. */
function mistype(token: string, position: number): string {
  const letter = token[position] === 'a' ? 'b' : 'a';
  return token.slice(0, position) + letter + token.slice(position + 1);
}
