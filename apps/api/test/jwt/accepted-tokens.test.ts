import type { ErrorName } from '@plant-store/contract/errors';
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, type Reply } from '../support/expect-error.js';
import {
  createSigningKey,
  type IdentityProvider,
  type Members,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { plantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let provider: IdentityProvider;
let service: TestService;
beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startTestService({ ...provider.environment, JWT_CLOCK_TOLERANCE_SECONDS: '300' });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const plant = { id: 1, name: 'Monstera' };
const post = (token: string): PromiseLike<Reply> => postPlant({ ...service, token }, plant);
/** The time in this many seconds from now, as claims have it. */
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

describe('a token that is accepted', () => {
  it.each<[string, Members, Members]>([
    ['as RFC 9068 has it', {}, {}],
    ['with its type as a media type, in capitals', {}, { typ: 'application/AT+JWT' }],
    ['with the type JWT', {}, { typ: 'JWT' }],
    ['without a type', {}, { typ: undefined }],
    ['for several audiences', { aud: ['https://other.example.com', 'https://plants.example.com'] }, {}],
    ['expired, by less than the clock tolerance', { exp: inSeconds(-100) }, {}],
    ['valid from a time within the clock tolerance on', { nbf: inSeconds(200), iat: inSeconds(200) }, {}],
    ['without the times of which none is required', { iat: undefined }, {}],
    ['with the longest subject', { sub: 'ü'.repeat(255) }, {}],
    ['without a key id, where only one key fits', {}, { kid: undefined }],
  ])('%s', async (_, claims, header) => {
    expect((await post(await provider.sign(claims, header))).status).toBe(200);
  });

  it('may be sent beside tokens of the service', async () => {
    expect((await postPlant(service, plant)).status).toBe(200);
    expect((await plantRequest({ ...service, token: `  ${await provider.sign()}` }).send(plant)).status).toBe(
      200,
    );
  });
});

describe('a token that is rejected', () => {
  const other = 'https://other.example.com';
  it.each<[string, Members, Members, message: string]>([
    ['of another issuer', { iss: other }, {}, 'comes from another issuer (iss)'],
    ['of the issuer in another spelling', { iss: 'https://id.example.com' }, {}, 'another issuer (iss)'],
    ['for another audience', { aud: other }, {}, 'is meant for another audience (aud)'],
    ['for other audiences', { aud: [other, 'plants'] }, {}, 'is meant for another audience (aud)'],
    ['expired, by more than the clock tolerance', { exp: inSeconds(-400) }, {}, 'has expired'],
    ['not yet valid (nbf)', { nbf: inSeconds(6_000) }, {}, 'is not valid yet (nbf, iat)'],
    ['issued in the future (iat)', { iat: inSeconds(6_000) }, {}, 'is not valid yet (nbf, iat)'],
    ['without an expiry', { exp: undefined }, {}, 'lacks a claim'],
    ['without an issuer', { iss: undefined }, {}, 'lacks a claim'],
    ['without an audience', { aud: undefined }, {}, 'lacks a claim'],
    ['without a subject', { sub: undefined }, {}, 'lacks a claim'],
    ['with an empty subject', { sub: '' }, {}, 'lacks a claim'],
    ['with a subject that is too long', { sub: 'a'.repeat(256) }, {}, 'lacks a claim'],
    ['with a control character in its subject', { sub: 'a\u001b[2Jb' }, {}, 'lacks a claim'],
    ['with a line separator in its subject', { sub: 'a\u2028b' }, {}, 'lacks a claim'],
    ['with a time that is a text', { exp: '2030-01-01' }, {}, 'lacks a claim'],
    ['with the time of its issue as a text', { iat: '1' }, {}, 'lacks a claim'],
    ['of a logout', {}, { typ: 'logout+jwt' }, 'is not that of an access token'],
    ['with a type that is no text', {}, { typ: 7 }, 'is neither one of this service'],
    ['of a key that is not published', {}, { kid: 'another' }, 'does not publish'],
    ['too long', { padding: 'x'.repeat(8_000) }, {}, 'at most 8192 characters'],
  ])('%s', async (_, claims, header, message) => {
    expectError(await post(await provider.sign(claims, header)), 'invalid_token', message);
  });

  it.each<[string, (token: string) => string | Promise<string>, message: string]>([
    ['signed by another key of the same id', signElsewhere, 'The signature'],
    ['changed after it was signed', changeSubject, 'The signature'],
    ['without its signature', (token) => token.replace(/[^.]+$/, ''), 'The signature'],
    ['unsecured', unsecured, 'an algorithm (alg) that is not allowed'],
    ['unsecured, with the algorithm in other letters', unsecuredInCapitals, 'an algorithm (alg) that is not'],
    ['signed with the public key as a secret', signWithPublicKey, 'an algorithm (alg) that is not allowed'],
    ['signed with an algorithm that is not allowed', signWithPs256, 'an algorithm (alg) that is not allowed'],
    ['with an extension that is not known', demandExtension, 'demands an extension (crit)'],
    ['cut', (token) => token.slice(0, token.lastIndexOf('.')), 'is neither one of this service'],
    ['encrypted', () => 'eyJhbGciOiJkaXIifQ..a.b.c', 'is neither one of this service'],
    ['with a header that is no JSON', (token) => `e30x${token.slice(4)}`, 'is neither one of this service'],
    ['with claims that are no object', (token) => replacePart(token, 1, '[]'), 'is neither one of this'],
    ['of no form at all', () => 'secret', 'is neither one of this service'],
    ['in a list', (token) => `${token}, Bearer ${token}`, 'is neither one of this service'],
    ['of the service, mistyped', () => service.token.slice(0, -1), 'Send it as it was issued: pst_ and 49'],
  ])('%s', async (_, change, message) => {
    expectError(await post(await change(await provider.sign())), 'invalid_token', message);
  });

  it('stores nothing', async () => {
    const stored = await readPlants(service);
    expect(stored.filter(({ id }) => id !== '1')).toEqual([]);
  });
});

async function signElsewhere() {
  return provider.sign({}, {}, await createSigningKey('first'));
}

function replacePart(token: string, index: number, text: string): string {
  return token
    .split('.')
    .map((part, at) => (at === index ? Buffer.from(text).toString('base64url') : part))
    .join('.');
}

function changeSubject(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return replacePart(token, 1, JSON.stringify({ ...claims, sub: 'mallory' }));
}

const claims = () => ({ iss: provider.issuer, aud: provider.audience, sub: 'mallory', exp: inSeconds(60) });

function unsecured() {
  return new UnsecuredJWT(claims()).encode();
}

function unsecuredInCapitals() {
  return replacePart(unsecured(), 0, '{"alg":"NONE"}');
}

/** Confuses a service that takes the algorithm from the token (RFC 8725, section 2.1). */
async function signWithPublicKey() {
  const [key] = provider.keys;
  if (!key) throw new Error('There is no key');
  const secret = Buffer.from(await exportSPKI(key.publicKey));
  return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
}

async function signWithPs256() {
  return provider.sign({}, {}, await createSigningKey('first', 'PS256'));
}

async function demandExtension() {
  const [key] = provider.keys;
  if (!key) throw new Error('There is no key');
  return new SignJWT(claims())
    .setProtectedHeader({ alg: 'ES256', kid: 'first', crit: ['vip'], vip: true })
    .sign(key.privateKey, { crit: { vip: true } });
}

describe('a scope that is required', () => {
  let strict: TestService;
  beforeAll(async () => {
    strict = await startTestService({
      ...provider.environment,
      JWT_REQUIRED_SCOPE: 'plants:create',
      JWT_TYPES: 'at+jwt',
    });
  });
  afterAll(() => strict.stop());
  const postStrict = (token: string) => postPlant({ ...strict, token }, plant);

  it.each<[string, Members]>([
    ['alone', { scope: 'plants:create' }],
    ['among others', { scope: 'openid plants:create' }],
    ['as scp', { scp: 'plants:create openid' }],
    ['in a list', { scp: ['openid', 'plants:create'] }],
  ])('may be %s', async (_, payload) => {
    expect((await postStrict(await provider.sign(payload))).status).toBe(200);
  });

  it.each<[string, Members, ErrorName]>([
    ['no scope', {}, 'insufficient_scope'],
    ['another scope', { scope: 'plants:create:all' }, 'insufficient_scope'],
    ['a scope that is no text', { scope: 7 }, 'insufficient_scope'],
    ['no scope, and an error', { iss: 'x' }, 'invalid_token'],
  ])('rejects a token with %s', async (_, payload, error) => {
    expectError(await postStrict(await provider.sign(payload)), error, /./);
  });

  it('needs no scope of a token of the service, and other types can be left out', async () => {
    expect((await postPlant(strict, plant)).status).toBe(200);
    const token = await provider.sign({ scope: 'plants:create' }, { typ: 'JWT' });
    expectError(await postStrict(token), 'invalid_token', 'is not that of an access token');
  });
});
