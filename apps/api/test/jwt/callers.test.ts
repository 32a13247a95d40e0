import { expect, it } from 'vitest';
import type { KeyTimes } from '../../src/auth/jwt-settings.js';
import { readMetrics } from '../support/admin-port.js';
import { expectError } from '../support/expect-error.js';
import { beAway, type Members, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { postPlant, sendJson } from '../support/post-plant.js';
import { findLines, readLog } from '../support/read-log.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const plant = { id: 1, name: 'Monstera' };

/** Starts a service that accepts the tokens of a new identity provider, which is away at first if that is said. */
async function start(
  environment: Readonly<Record<string, string>> = {},
  { isAway = false, ...times }: Partial<KeyTimes> & { isAway?: boolean } = {},
) {
  const provider = await startIdentityProvider();
  if (isAway) provider.reply = beAway;
  const service = await startTestService({ ...provider.environment, ...environment }, (config) => ({
    ...config,
    jwt: config.jwt && { ...config.jwt, keyTimes: { ...config.jwt.keyTimes, ...times } },
  }));
  return { provider, service, post: async (token: string) => postPlant({ ...service, token }, plant) };
}

it('logs the subject in place of the id of a token, and no token, and counts both kinds by outcome', async () => {
  const { provider, service, post } = await start({ ADMIN_PORT: '0' });
  const token = await provider.sign({ sub: 'client|alice "a"' });
  const lineOf = async (sent: string) => {
    const { headers } = await post(sent);
    const [line] = await readLog(service, headers['x-request-id']);
    return { tokenId: line?.['tokenId'], subject: line?.['subject'] };
  };
  expect(await lineOf(token)).toEqual({ subject: 'client|alice "a"' });
  expect(await lineOf(service.token)).toEqual({ tokenId: 1 });
  expect(await lineOf(await provider.sign({ sub: 'mallory', iss: 'https://other.example.com' }))).toEqual({});
  expect(service.logLines.join('')).not.toContain(token.slice(-20));

  expect((await readMetrics(service)).split('\n')).toEqual(
    expect.arrayContaining([
      'plant_store_token_checks_total{outcome="valid"} 2',
      'plant_store_token_checks_total{outcome="wrong_issuer"} 1',
      'plant_store_token_checks_total{outcome="insufficient_scope"} 0',
    ]),
  );
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

it('starts while the provider is away, and recovers by itself', async () => {
  const { provider, service, post } = await start({}, { isAway: true, cooldownMs: 50 });
  const messages = () => findLines(service).map(({ msg }) => msg);
  await until(() => messages().includes('could not fetch the identity provider keys'));
  const reply = await post(await provider.sign());
  const message = /^The service cannot fetch keys .* Try again in 1 seconds\.$/;
  expectError(reply, 'identity_provider_unavailable', message);
  expect((await post(service.token)).status).toBe(200);

  provider.reply = undefined;
  await until(() => messages().includes('identity provider keys fetched again'));
  expect((await post(await provider.sign())).status).toBe(200);
  expect(messages().filter((message) => message.startsWith('could not fetch'))).toHaveLength(1);
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

it('ends a request that waits when the token is no longer accepted', async () => {
  const { provider, service } = await start();
  // It is accepted for 30 seconds more.
  const exp = Math.floor(Date.now() / 1_000) - 27;
  const token = await provider.sign({ exp, scope: 'plants:read' });
  const reply = await sendJson({ ...service, token }, 'GET /changes?wait=25');
  expect(await reply.json()).toMatchObject({ error: 40101, message: expect.stringContaining('has expired') });
  expect(Date.now()).toBeGreaterThanOrEqual((exp + 30) * 1_000);
});
