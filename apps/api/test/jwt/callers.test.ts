import { expect, it, onTestFinished } from 'vitest';
import { createAccessTokens } from '../../src/auth/access-tokens.js';
import { acceptJwts } from '../../src/auth/jwt/accept-jwts.js';
import { parseConfig } from '../../src/config.js';
import { expectError } from '../support/expect-error.js';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { silentLog } from '../support/open-app.js';
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

it('checks a token once, then finds it in the cache, until it has expired', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  const { jwt } = parseConfig(provider.environment, '/');
  if (!jwt) throw new Error('There are no settings');
  let now = Date.now();
  const unused = () => Promise.reject(new Error('The database is not asked'));
  const ownTokens = createAccessTokens({ add: unused, findByHash: unused, list: unused, revoke: unused });
  const tokens = acceptJwts(ownTokens, jwt, silentLog, () => now);
  onTestFinished(tokens.close);

  const expiry = Math.floor(now / 1_000) + 60;
  const token = await provider.sign({ exp: expiry });
  expect(tokens.verifyCached(token)).toBeUndefined();
  const checks = await Promise.all([tokens.verify(token), tokens.verify(token)]);
  expect(checks).toEqual(Array(2).fill({ status: 'valid', subject: 'alice' }));
  expect(tokens.verifyCached(token)).toEqual({ status: 'valid', subject: 'alice' });
  now = (expiry + 30) * 1_000 - 1;
  expect(await tokens.verify(token)).toEqual({ status: 'valid', subject: 'alice' });
  now += 1;
  expect(await tokens.verify(token)).toEqual({ status: 'expired' });
  expect(await tokens.verify(await provider.sign({ exp: expiry, jti: 'not cached' }))).toEqual({
    status: 'expired',
  });
});
