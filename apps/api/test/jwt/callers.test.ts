import { expect, it, onTestFinished } from 'vitest';
import { acceptJwts } from '../../src/auth/accept-jwts.js';
import { createTokenService } from '../../src/auth/token-service.js';
import { parseConfig } from '../../src/config.js';
import { expectError } from '../support/expect-error.js';
import {
  createShortKey,
  type Members,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService } from '../support/start-test-service.js';

const plant = { id: 1, name: 'Monstera' };

async function start(environment: Readonly<Record<string, string>> = {}) {
  const provider = await startIdentityProvider();
  const service = await startTestService({ ...provider.environment, ...environment });
  onTestFinished(async () => {
    await service.stop();
    await provider.stop();
  });
  return { provider, service, post: async (token: string) => postPlant({ ...service, token }, plant) };
}

it('logs the subject in place of the id of a token, and no token', async () => {
  const { provider, service, post } = await start();
  const token = await provider.sign({ sub: 'client|alice "a"' });
  const { headers } = await post(token);
  const [line] = await readLog(service, headers['x-request-id']);
  expect(line).toMatchObject({ msg: 'request', subject: 'client|alice "a"', plantId: '1' });
  expect(line).not.toHaveProperty('tokenId');

  const own = await post(service.token);
  const [ownLine] = await readLog(service, own.headers['x-request-id']);
  expect(ownLine).toHaveProperty('tokenId', 1);
  expect(ownLine).not.toHaveProperty('subject');

  const rejected = await post(await provider.sign({ sub: 'mallory', aud: 'x' }));
  const [rejectedLine] = await readLog(service, rejected.headers['x-request-id']);
  expect(rejectedLine).not.toHaveProperty('subject');
  expect(service.logLines.join('')).not.toContain(token.slice(-20));
});

it('limits the requests of a subject, whichever of its tokens they bring', async () => {
  const { provider, service, post } = await start({ RATE_LIMIT_PER_MINUTE: '2' });
  // The id of the token of the service is 1, too.
  const sign = (sub: string) => provider.sign({ sub, jti: Math.random() });
  const statuses = [];
  for (let request = 0; request < 3; request++) statuses.push((await post(await sign('1'))).status);
  expect(statuses).toEqual([200, 200, 429]);
  expectError(await post(await sign('1')), 'rate_limited', 'Too many requests');
  expect((await post(await sign('2'))).status).toBe(200);
  expect((await post(service.token)).status).toBe(200);
});

it('counts the tokens of both kinds by outcome', async () => {
  const { provider, service, post } = await start({ ADMIN_PORT: '0' });
  await post(await provider.sign());
  await post(service.token);
  await post(await provider.sign({ iss: 'https://other.example.com' }));
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const readValue = (series: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  expect(readValue('plant_store_token_checks_total{outcome="valid"}')).toBe(2);
  expect(readValue('plant_store_token_checks_total{outcome="wrong_issuer"}')).toBe(1);
  expect(readValue('plant_store_token_checks_total{outcome="insufficient_scope"}')).toBe(0);
});

/** Accepts tokens of a new identity provider without a service, at a time that can be set. */
async function openTokens() {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  const { jwt } = parseConfig(provider.environment, '/');
  if (!jwt) throw new Error('There are no settings');
  const clock = { now: Date.now() };
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (_: unknown, message: string) => void warnings.push(message) };
  const unused = () => Promise.reject(new Error('The database is not asked'));
  const ownTokens = createTokenService({ add: unused, findByHash: unused, list: unused, revoke: unused });
  const tokens = acceptJwts(ownTokens, jwt, log, () => clock.now);
  onTestFinished(tokens.close);
  return { provider, tokens, clock, warnings };
}

it('checks a token once, then finds it in the cache, until it has expired', async () => {
  const { provider, tokens, clock } = await openTokens();
  const expiry = Math.floor(clock.now / 1_000) + 60;
  const token = await provider.sign({ exp: expiry });
  expect(tokens.verifyCached(token)).toBeUndefined();
  const valid = {
    status: 'valid',
    subject: 'alice',
    scopes: ['create'],
    acceptedUntil: (expiry + 30) * 1_000,
  };
  const checks = await Promise.all([tokens.verify(token), tokens.verify(token)]);
  expect(checks).toEqual(Array(2).fill(valid));
  expect(tokens.verifyCached(token)).toEqual(valid);
  clock.now = (expiry + 30) * 1_000 - 1;
  expect(await tokens.verify(token)).toEqual(valid);
  clock.now += 1;
  expect(await tokens.verify(token)).toEqual({ status: 'expired' });
  expect(await tokens.verify(await provider.sign({ exp: expiry, jti: 'not cached' }))).toEqual({
    status: 'expired',
  });
});

it('finds a rejected token in the cache, too, unless the next fetch of keys may change that', async () => {
  const { provider, tokens } = await openTokens();
  const expired = await provider.sign({ exp: 1 });
  expect(await tokens.verify(expired)).toEqual({ status: 'expired' });
  expect(tokens.verifyCached(expired)).toEqual({ status: 'expired' });
  const unknown = await provider.sign({}, { kid: 'another' });
  expect(await tokens.verify(unknown)).toEqual({ status: 'unknown_key' });
  expect(tokens.verifyCached(unknown)).toBeUndefined();
});

it('logs a key that cannot be used once in five minutes', async () => {
  const key = await createShortKey();
  const { provider, tokens, clock, warnings } = await openTokens();
  provider.keys = [key];
  const check = async () =>
    expect(await tokens.verify(await provider.sign())).toEqual({ status: 'unusable_key' });
  await check();
  await check();
  expect(warnings).toEqual(['a key of the identity provider cannot be used']);
  clock.now += 5 * 60_000;
  await check();
  expect(warnings).toHaveLength(2);
});

it.each<[string, Members, Members]>([
  ['in the cache', { exp: 1 }, {}],
  ['not in the cache', {}, { kid: 'another' }],
])(
  'lets a new token through where a rejected one that is %s is sent again and again',
  async (_, claims, header) => {
    const { provider, post } = await start({ AUTH_FAILURES_PER_MINUTE: '1' });
    const rejected = await provider.sign(claims, header);
    expectError(await post(rejected), 'invalid_token', /./);
    for (let count = 0; count < 3; count++) expectError(await post(rejected), 'rate_limited', /./);
    expect((await post(await provider.sign())).status).toBe(200);
  },
);
