import { ServiceError } from '@plant-store/records';
import { expect, it, onTestFinished, vi } from 'vitest';
import { acceptJwts } from '../../src/auth/accept-jwts.js';
import type { KeyTimes } from '../../src/auth/jwt-settings.js';
import { createTokenService } from '../../src/auth/token-service.js';
import { parseConfig } from '../../src/config.js';
import {
  beAway,
  createShortKey,
  createSigningKey,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { until } from '../support/until.js';

// Guards upgrades of jose: `createRemoteJWKSet` shares a fetch, keeps its keys when one fails, never fetches because of an infinite
// `cooldownDuration` or `cacheMaxAge`, and passes on what its `customFetch` throws.

const never = 3_600_000;

/** Accepts the tokens of a new identity provider, without a service, with times of fetching its keys, at a time that can be set. */
async function open(times: Partial<KeyTimes>, prepare?: (provider: IdentityProvider) => void) {
  const provider = await startIdentityProvider();
  prepare?.(provider);
  const { jwt } = parseConfig(provider.environment, '/');
  if (!jwt) throw new Error('There are no settings');
  const keyTimes = { refreshMs: never, cooldownMs: never, timeoutMs: never, staleMs: never, ...times };
  const clock = { now: Date.now() };
  const infos: string[] = [];
  const warnings: string[] = [];
  const causes: string[] = [];
  const log = {
    info: (message: string) => void infos.push(message),
    warn({ err }: { readonly err: unknown }, message: string) {
      warnings.push(message);
      causes.push(String(err));
    },
  };
  // The database is not asked.
  const tokens = acceptJwts(createTokenService({} as never), { ...jwt, keyTimes }, log, () => clock.now);
  onTestFinished(tokens.close);
  /** The status of a token, or the name of the error of a request with it. */
  const verify = async (token: string) => {
    try {
      return (await tokens.verify(token)).status;
    } catch (error) {
      if (error instanceof ServiceError) return error.errorName;
      throw error;
    }
  };
  return { provider, tokens, verify, clock, infos, warnings, causes };
}

it('fetches the keys once for many tokens, concurrent ones too', async () => {
  const { provider, verify } = await open({});
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => provider.sign({ jti: index })));
  const statuses = await Promise.all([...tokens, ...tokens].map(verify));
  expect(new Set(statuses)).toEqual(new Set(['valid']));
  expect(provider.requests).toBe(1);
});

it('accepts a key that is published later as soon as a token names it', async () => {
  const { provider, verify } = await open({ cooldownMs: 0 });
  expect(await verify(await provider.sign())).toBe('valid');
  provider.keys = [await createSigningKey('second', 'RS256'), ...provider.keys];
  expect(await verify(await provider.sign())).toBe('valid');
  expect(provider.requests).toBe(2);
});

it('fetches keys in time when the clock of the machine is set back, and not too often when it is set forward', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const setClock = (ms: number) => void vi.setSystemTime(Date.now() + ms);
  const prompt = await open({ cooldownMs: 0, staleMs: 0 });
  await prompt.verify(await prompt.provider.sign());
  const before = prompt.provider.requests;
  setClock(-7_200_000);
  prompt.clock.now = Date.now();
  expect(await prompt.verify(await prompt.provider.sign())).toBe('valid');
  expect(prompt.provider.requests).toBe(before + 1);
  // Once since the keys are old, and once since the key is not among them.
  expect(await prompt.verify(await prompt.provider.sign({}, { kid: 'unknown' }))).toBe('unknown_key');
  expect(prompt.provider.requests).toBe(before + 3);

  const rare = await open({});
  await rare.verify(await rare.provider.sign());
  setClock(2 * never);
  rare.clock.now = Date.now();
  expect(await rare.verify(await rare.provider.sign({}, { kid: 'unknown' }))).toBe('unknown_key');
  expect(rare.provider.requests).toBe(1);
});

it('rejects a key that is no longer published once the keys are fetched again', async () => {
  const { provider, verify } = await open({ refreshMs: 10 });
  const [first] = provider.keys;
  const sign = () => provider.sign({ jti: Math.random() }, {}, first);
  const used = await sign();
  expect(await verify(used)).toBe('valid');
  provider.keys = [await createSigningKey('second')];
  await until(async () => (await verify(await sign())) === 'unknown_key');
  await until(async () => (await verify(used)) === 'unknown_key');
  expect(await verify(await provider.sign())).toBe('valid');
});

it('does not fetch more often for strangers than the cooldown allows', async () => {
  const { provider, verify, infos, warnings } = await open({});
  await verify(await provider.sign());
  const unknown = await Promise.all(
    Array.from({ length: 20 }, (_, index) => provider.sign({}, { kid: `unknown ${index}` })),
  );
  expect(new Set(await Promise.all(unknown.map(verify)))).toEqual(new Set(['unknown_key']));
  expect(provider.requests).toBe(1);
  expect([infos, warnings]).toEqual([[], []]);
});

it('shares one fetch among the concurrent tokens of keys that are not known', async () => {
  const { provider, verify } = await open({ cooldownMs: 0 });
  await verify(await provider.sign());
  const published = JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) });
  const held: (() => void)[] = [];
  provider.reply = (response) => void held.push(() => response.end(published));
  const tokens = [await provider.sign({}, { kid: 'a' }), await provider.sign({}, { kid: 'b' })];
  const statuses = tokens.map(verify);
  await until(() => held.length === 1);
  held[0]?.();
  expect(await Promise.all(statuses)).toEqual(['unknown_key', 'unknown_key']);
  expect(provider.requests).toBe(2);
});

it('fetches no key for a token of another issuer', async () => {
  const { provider, verify } = await open({ cooldownMs: 0 });
  await verify(await provider.sign());
  await verify(await provider.sign({ iss: 'https://other.example.com' }, { kid: 'other' }));
  expect(provider.requests).toBe(1);
});

it('keeps using known keys while the provider is away, and asks for a retry where a key is not known', async () => {
  const { provider, verify, infos, warnings } = await open({ refreshMs: 10, cooldownMs: 10 });
  expect(await verify(await provider.sign())).toBe('valid');
  provider.reply = beAway;
  await until(() => warnings.includes('could not fetch the identity provider keys'));
  expect(await verify(await provider.sign({ sub: 'bob' }))).toBe('valid');

  const unknown = await provider.sign({}, { kid: 'unknown' });
  expect(await verify(unknown)).toBe('identity_provider_unavailable');
  provider.reply = undefined;
  await until(async () => (await verify(unknown)) === 'unknown_key');
  expect([warnings, infos]).toEqual([
    ['could not fetch the identity provider keys'],
    ['identity provider keys fetched again'],
  ]);
});

it.each([
  ['no key set', '{"key":[]}', 'did not return a key set'],
  ['a list', '[]', 'did not return a key set'],
  ['null', 'null', 'did not return a key set'],
  ['no key', '{"keys":[]}', 'returned no key for RS256, ES256'],
  ['no usable key', '{"keys":[null,{"kty":"RSA","use":"enc"}]}', 'returned no key for RS256, ES256'],
  ['no JSON', '', 'did not return JSON'],
])('keeps the keys, and logs why, when the provider answers with %s', async (_, reply, problem) => {
  const { provider, verify, causes } = await open({ refreshMs: 10, cooldownMs: 10 });
  await until(async () => (await verify(await provider.sign())) === 'valid');
  provider.reply = (response) => void response.end(reply);
  await until(() => causes.length > 0);
  expect(causes[0]).toContain(problem);
  expect(await verify(await provider.sign({ sub: 'bob' }))).toBe('valid');
});

it('stops using keys that are too old while the provider is away', async () => {
  const { provider, verify } = await open({ staleMs: 0, cooldownMs: 0 });
  await until(async () => (await verify(await provider.sign())) === 'valid');
  provider.reply = beAway;
  expect(await verify(await provider.sign({ sub: 'bob' }))).toBe('identity_provider_unavailable');
});

it('waits for a provider that hangs no longer than the timeout, and does not ask it again at once', async () => {
  const { provider, tokens } = await open({ timeoutMs: 500 }, (started) => {
    started.reply = () => undefined;
  });
  for (const kid of ['first', 'second']) {
    const token = await provider.sign({}, { kid });
    await expect(async () => tokens.verify(token)).rejects.toMatchObject({
      errorName: 'identity_provider_unavailable',
      message: expect.stringMatching(
        /^The service cannot fetch keys .*\. Try again in [1-3]\d{3} seconds\.$/,
      ),
      headers: { 'Retry-After': expect.stringMatching(/^[1-3]\d{3}$/) },
    });
  }
  expect(provider.requests).toBeLessThanOrEqual(1);
});

it('ends a fetch in flight when it is closed', async () => {
  let [requested, closed] = [false, false];
  const { tokens, warnings } = await open({}, (provider) => {
    provider.reply = (response) => {
      requested = true;
      response.on('close', () => {
        closed = true;
      });
    };
  });
  await until(() => requested);
  tokens.close();
  await until(() => closed);
  expect(warnings).toEqual([]);
});

it('checks a token once, then finds it in the cache, until it has expired', async () => {
  const { provider, tokens, clock } = await open({});
  const expiry = Math.floor(clock.now / 1_000) + 60;
  const token = await provider.sign({ exp: expiry });
  expect(tokens.verifyCached(token)).toBeUndefined();
  const acceptedUntil = (expiry + 30) * 1_000;
  const valid = { status: 'valid', subject: 'alice', scopes: ['create'], acceptedUntil };
  const checks = await Promise.all([tokens.verify(token), tokens.verify(token)]);
  expect(checks).toEqual(Array(2).fill(valid));
  expect(tokens.verifyCached(token)).toEqual(valid);
  clock.now = acceptedUntil - 1;
  expect(await tokens.verify(token)).toEqual(valid);
  clock.now += 1;
  expect(await tokens.verify(token)).toEqual({ status: 'expired' });
  const uncached = await provider.sign({ exp: expiry, jti: 'not cached' });
  expect(await tokens.verify(uncached)).toEqual({ status: 'expired' });
});

it('finds a rejected token in the cache, too, unless the next fetch of keys may change that', async () => {
  const { provider, tokens } = await open({});
  const expired = await provider.sign({ exp: 1 });
  expect(await tokens.verify(expired)).toEqual({ status: 'expired' });
  expect(tokens.verifyCached(expired)).toEqual({ status: 'expired' });
  const unknown = await provider.sign({}, { kid: 'another' });
  expect(await tokens.verify(unknown)).toEqual({ status: 'unknown_key' });
  expect(tokens.verifyCached(unknown)).toBeUndefined();
});

it('logs a key that cannot be used once between two fetches', async () => {
  const key = await createShortKey();
  const { provider, verify, warnings, causes } = await open({}, (started) => {
    started.keys = [key];
  });
  const at = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockReturnValue(at);
  onTestFinished(() => clock.mockRestore());
  for (const _ of [1, 2]) expect(await verify(await provider.sign())).toBe('unusable_key');
  expect(warnings).toEqual(['an identity provider key cannot be used']);
  expect(causes).toEqual([expect.stringContaining('Error')]);
  clock.mockReturnValue(at + never);
  expect(await verify(await provider.sign())).toBe('unusable_key');
  expect(warnings).toHaveLength(2);
});
