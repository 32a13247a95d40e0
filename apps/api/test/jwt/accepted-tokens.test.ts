import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, expect, it } from 'vitest';
import { expectError, type Reply } from '../support/expect-error.js';
import { createSigningKey, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { useTestService } from '../support/start-test-service.js';

// Every way to write claims is in src/auth/accept-jwts.test.ts.

const provider = await startIdentityProvider();
afterAll(provider.stop);
const [key = await createSigningKey('none')] = provider.keys;
const service = useTestService({ ...provider.environment, JWT_CLOCK_TOLERANCE_SECONDS: '300' });
/** Requires a scope, and one type. */
const required = { JWT_REQUIRED_SCOPE: 'plants:create', JWT_TYPES: 'at+jwt' };
const strict = useTestService({ ...provider.environment, ...required });

const plant = { id: 1, name: 'Monstera' };
const post = (token: string, to = service): PromiseLike<Reply> => postPlant({ ...to, token }, plant);
/** The time in this many seconds from now, as claims have it. */
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

it('accepts a token that has expired, by less than the clock tolerance, beside those of the service', async () => {
  expect((await postPlant(service, plant)).status).toBe(200);
  expect((await post(`  ${await provider.sign({ exp: inSeconds(-100) })}`)).status).toBe(200);
});

it.each<[string, (token: string) => string | Promise<string>, message: string]>([
  ['expired, by more than the clock tolerance', () => provider.sign({ exp: inSeconds(-400) }), 'has expired'],
  ['too long', () => provider.sign({ padding: 'x'.repeat(8_000) }), 'at most 8192 characters'],
  ['of a key that is not published', () => provider.sign({}, { kid: 'another' }), 'does not publish'],
  ['signed by another key of the same ID', () => signWithAnother('ES256'), 'signature is not valid'],
  ['changed after it was signed', changeSubject, 'signature is not valid'],
  ['without its signature', (token) => token.replace(/[^.]+$/, ''), 'signature is not valid'],
  ['unsecured', unsecured, 'an algorithm (alg) that is not allowed'],
  [
    'unsecured, in capitals',
    () => replacePart(unsecured(), 0, '{"alg":"NONE"}'),
    'an algorithm (alg) that is not',
  ],
  ['signed with the public key as a secret', signWithPublicKey, 'an algorithm (alg) that is not allowed'],
  ['signed with another algorithm', () => signWithAnother('PS256'), 'an algorithm (alg) that is not'],
  ['cut', (token) => token.slice(0, token.lastIndexOf('.')), 'is neither a Plant Store token'],
  ['encrypted', () => 'eyJhbGciOiJkaXIifQ..a.b.c', 'is neither a Plant Store token'],
  ['with a header that is no JSON', (token) => `e30x${token.slice(4)}`, 'is neither a Plant Store token'],
  [
    'with claims that are no object',
    (token) => replacePart(token, 1, '[]'),
    'is neither a Plant Store token',
  ],
  ['in a list', (token) => `${token}, Bearer ${token}`, 'is neither a Plant Store token'],
  ['of the service, mistyped', () => service.token.slice(0, -1), 'Send the whole token: pst_ followed by 49'],
])('rejects a token that is %s, and stores nothing', async (_, change, message) => {
  const token = await change(await provider.sign());
  const reply = await postPlant({ ...service, token }, { id: 2, name: 'Fern' });
  expectError(reply, 'invalid_token', message);
  expect((await readPlants(service)).filter(({ id }) => id !== '1')).toEqual([]);
});

it('may have to have a scope, which a token of the service needs not', async () => {
  expect((await post(await provider.sign({ scope: 'openid plants:create' }), strict)).status).toBe(200);
  expectError(await post(await provider.sign(), strict), 'insufficient_scope', /./);
  expectError(await post(await provider.sign({ iss: 'x' }), strict), 'invalid_token', /./);
  expect((await postPlant(strict, plant)).status).toBe(200);
});

it('may have to have one type', async () => {
  const token = await provider.sign({ scope: 'plants:create' }, { typ: 'JWT' });
  expectError(await post(token, strict), 'invalid_token', 'is not an access token type');
});

async function signWithAnother(algorithm: string) {
  return provider.sign({}, {}, await createSigningKey('first', algorithm));
}

function replacePart(token: string, index: number, text: string): string {
  return token.split('.').with(index, Buffer.from(text).toString('base64url')).join('.');
}

function changeSubject(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return replacePart(token, 1, JSON.stringify({ ...claims, sub: 'mallory' }));
}

const claims = () => ({ iss: provider.issuer, aud: provider.audience, sub: 'mallory', exp: inSeconds(60) });

function unsecured() {
  return new UnsecuredJWT(claims()).encode();
}

/** Confuses a service that takes the algorithm from the token (RFC 8725, section 2.1). */
async function signWithPublicKey() {
  const secret = Buffer.from(await exportSPKI(key.publicKey));
  return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
}
