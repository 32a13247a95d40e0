import { expect, it, onTestFinished } from 'vitest';
import type { KeyTimes } from '../../src/auth/jwt-settings.js';
import { expectError } from '../support/expect-error.js';
import {
  beAway,
  createSigningKey,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

// Guards upgrades of jose: `createRemoteJWKSet` shares a fetch, keeps its keys when one fails, waits for `cooldownDuration`, and
// passes on what its `customFetch` throws.

const plant = { id: 1, name: 'Monstera' };
const never = 3_600_000;

/** Starts a provider, and a service with its own times of fetching keys. */
async function start(
  times: Partial<KeyTimes>,
  prepare: (provider: IdentityProvider) => void = () => undefined,
): Promise<{ provider: IdentityProvider; service: TestService; post(token: string): Promise<Reply> }> {
  const provider = await startIdentityProvider();
  prepare(provider);
  const keyTimes = { refreshMs: never, cooldownMs: never, timeoutMs: never, staleMs: never, ...times };
  const service = await startTestService(provider.environment, (config) => ({
    ...config,
    jwt: config.jwt && { ...config.jwt, keyTimes },
  }));
  onTestFinished(async () => {
    await service.stop();
    await provider.stop();
  });
  return { provider, service, post: async (token) => postPlant({ ...service, token }, plant) };
}

type Reply = Awaited<ReturnType<typeof postPlant>>;

const messagesOf = ({ logLines }: TestService) => logLines.map((line) => String(JSON.parse(line).msg));

it('fetches the keys once for many tokens, concurrent ones too', async () => {
  const { provider, post } = await start({});
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, index) => provider.sign({ sub: `user ${index}` })),
  );
  const replies = await Promise.all([...tokens, ...tokens].map(post));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(provider.requests).toBe(1);
});

it('accepts a key that is published later as soon as a token names it', async () => {
  const { provider, post } = await start({ cooldownMs: 0 });
  expect((await post(await provider.sign())).status).toBe(200);
  provider.keys = [await createSigningKey('second', 'RS256'), ...provider.keys];
  expect((await post(await provider.sign())).status).toBe(200);
  expect(provider.requests).toBe(2);
});

it('rejects a key that is no longer published once the keys are fetched again', async () => {
  const { provider, post } = await start({ refreshMs: 10 });
  const [first] = provider.keys;
  const sign = () => provider.sign({ jti: Math.random() }, {}, first);
  expect((await post(await sign())).status).toBe(200);
  const used = await sign();
  expect((await post(used)).status).toBe(200);
  provider.keys = [await createSigningKey('second')];
  await until(async () => (await post(await sign())).status === 401);
  expectError(await post(await sign()), 'invalid_token', 'does not publish');
  await until(async () => (await post(used)).status === 401);
  expect((await post(await provider.sign())).status).toBe(200);
});

it('does not fetch more often for strangers than the cooldown allows', async () => {
  const { provider, post } = await start({});
  await post(await provider.sign());
  const unknown = await Promise.all(
    Array.from({ length: 20 }, (_, index) => provider.sign({}, { kid: `unknown ${index}` })),
  );
  for (const reply of await Promise.all(unknown.map(post)))
    expectError(reply, 'invalid_token', 'does not publish');
  expect(provider.requests).toBe(1);
});

it('shares one fetch among the concurrent tokens of keys that are not known', async () => {
  const { provider, post } = await start({ cooldownMs: 0 });
  await post(await provider.sign());
  const published = JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) });
  const held: (() => void)[] = [];
  provider.reply = (response) => void held.push(() => response.end(published));
  const tokens = [await provider.sign({}, { kid: 'a' }), await provider.sign({}, { kid: 'b' })];
  const replies = tokens.map(post);
  await until(() => held.length === 1);
  held[0]?.();
  for (const reply of await Promise.all(replies)) expect(reply.status).toBe(401);
  expect(provider.requests).toBe(2);
});

it('fetches no key for a token of another issuer', async () => {
  const { provider, post } = await start({ cooldownMs: 0 });
  await post(await provider.sign());
  await post(await provider.sign({ iss: 'https://other.example.com' }, { kid: 'other' }));
  expect(provider.requests).toBe(1);
});

it('starts while the provider is away, and recovers by itself', async () => {
  const { provider, service, post } = await start({ cooldownMs: 50 }, (started) => {
    started.reply = beAway;
  });
  await until(() => messagesOf(service).includes('could not fetch the keys of the identity provider'));
  expectError(
    await post(await provider.sign()),
    'identity_provider_unavailable',
    /^The keys .* Try again in 1 s\.$/,
  );
  expect((await postPlant(service, plant)).status).toBe(200);

  provider.reply = undefined;
  await until(() => messagesOf(service).includes('keys of the identity provider fetched again'));
  expect((await post(await provider.sign())).status).toBe(200);
  const warnings = messagesOf(service).filter((message) => message.startsWith('could not fetch'));
  expect(warnings).toHaveLength(1);
});

it('keeps using known keys while the provider is away, and asks for a retry where a key is not known', async () => {
  const { provider, service, post } = await start({ refreshMs: 10, cooldownMs: 10 });
  await until(() => provider.requests > 0);
  expect((await post(await provider.sign())).status).toBe(200);
  provider.reply = beAway;
  await until(() => messagesOf(service).includes('could not fetch the keys of the identity provider'));
  expect((await post(await provider.sign({ sub: 'bob' }))).status).toBe(200);
  expect((await postPlant(service, plant)).status).toBe(200);

  const unknown = await provider.sign({}, { kid: 'unknown' });
  expectError(await post(unknown), 'identity_provider_unavailable', 'cannot be fetched');
  provider.reply = undefined;
  await until(async () => (await post(unknown)).status === 401);
});

it('looks up tokens of the service while tokens of the same address wait for a provider that hangs', async () => {
  const { provider, service, post } = await start({ cooldownMs: 0 }, ({ environment }) => {
    environment['AUTH_FAILURES_PER_MINUTE'] = '1';
    // The request that waits for the provider is cut off at the end.
    environment['SHUTDOWN_TIMEOUT_MS'] = '0';
  });
  await post(await provider.sign());
  provider.reply = () => undefined;
  const waiting = post(await provider.sign({}, { kid: 'unknown' })).catch(() => undefined);
  await until(() => provider.requests === 2);
  expect((await postPlant(service, plant)).status).toBe(200);
  provider.reply = undefined;
  await service.stop();
  await waiting;
});

it('stops using keys that are too old while the provider is away', async () => {
  const { provider, post } = await start({ staleMs: 0, cooldownMs: 0 });
  await until(async () => (await post(await provider.sign())).status === 200);
  provider.reply = beAway;
  const reply = await post(await provider.sign({ sub: 'bob' }));
  expectError(reply, 'identity_provider_unavailable', 'cannot be fetched');
});

it('waits for a provider that hangs no longer than the timeout, and does not ask it again at once', async () => {
  const { provider, post } = await start({ timeoutMs: 500 }, (started) => {
    started.reply = () => undefined;
  });
  for (const kid of ['first', 'second']) {
    const reply = await post(await provider.sign({}, { kid }));
    expectError(reply, 'identity_provider_unavailable', /Try again in [1-3]\d{3} s\.$/);
    expect(reply.headers['retry-after']).toMatch(/^[1-3]\d{3}$/);
  }
  expect(provider.requests).toBeLessThanOrEqual(1);
});

it('ends a fetch in flight when the service stops', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  let requested = false;
  let closed = false;
  provider.reply = (response) => {
    requested = true;
    response.on('close', () => {
      closed = true;
    });
  };
  const service = await startTestService(provider.environment, (config) => ({
    ...config,
    jwt: config.jwt && { ...config.jwt, keyTimes: { ...config.jwt.keyTimes, timeoutMs: never } },
  }));
  await until(() => requested);
  await service.stop();
  await until(() => closed);
});
