import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { createProviderKeys, type ProviderKeys } from '../../src/auth/provider-keys.js';
import { expectError } from '../support/expect-error.js';
import { createShortKey, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

/** Fetches keys once, then the given reply; returns what is logged about it, and the keys that are in use then. */
async function refreshWith(reply: (response: ServerResponse) => void) {
  const provider = await startIdentityProvider();
  const problems: string[] = [];
  const times = { refreshMs: 10, cooldownMs: 10, timeoutMs: 600_000, staleMs: 600_000 };
  const log = { info: () => undefined, warn: ({ err }: { err: unknown }) => void problems.push(String(err)) };
  const keys = createProviderKeys(
    { jwksUrl: provider.jwksUrl, algorithms: ['RS256', 'ES256'], keyTimes: times },
    log,
  );
  onTestFinished(async () => {
    keys.close();
    await provider.stop();
  });
  await until(() => findFirst(keys));
  provider.reply = reply;
  return { keys, problem: await until(() => problems[0]) };
}

function findFirst(keys: ProviderKeys) {
  const token = { payload: '', signature: '' };
  return keys.find({ alg: 'ES256', kid: 'first' }, token).then(
    (key) => key.type,
    () => undefined,
  );
}

const tooMuch = ' '.repeat(2 ** 18 + 1);

it.each<[string, (response: ServerResponse) => void, problem: string]>([
  ['an error', (response) => void response.writeHead(500).end('{"keys":[]}'), 'status 500'],
  [
    'a redirect',
    (response) => void response.writeHead(302, { Location: '/other' }).end(),
    'status 302; redirects are not followed',
  ],
  ['a page', (response) => void response.end('<!doctype html>'), 'did not answer with JSON'],
  ['nothing', (response) => void response.end(), 'did not answer with JSON'],
  ['no key set', (response) => void response.end('{"key":[]}'), 'did not answer with a key set'],
  ['no key', (response) => void response.end('{"keys":[]}'), 'without a key that fits RS256, ES256'],
  [
    'only a key to encrypt with',
    (response) => void response.end('{"keys":[{"kty":"RSA","use":"enc"}]}'),
    'without a key that fits RS256, ES256',
  ],
  [
    'only members that are no usable keys',
    (response) => void response.end('{"keys":[null,"key",{"alg":"ES256"},{"kty":"RSA","e":"AQAB"}]}'),
    'without a key that fits RS256, ES256',
  ],
  ['a list', (response) => void response.end('[]'), 'did not answer with a key set'],
  ['null', (response) => void response.end('null'), 'did not answer with a key set'],
  ['half of a key set', (response) => void response.end('{"keys":['), 'did not answer with JSON'],
  ['too much', (response) => void response.end(tooMuch), 'more than 262144 bytes'],
  [
    'too much, compressed',
    (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(tooMuch)),
    'more than 262144 bytes',
  ],
  ['data without an end', sendForever, 'more than 262144 bytes'],
])('keeps the keys, and logs why, when the provider answers with %s', async (_, reply, problem) => {
  const refreshed = await refreshWith(reply);
  expect(refreshed.problem).toContain(problem);
  expect(await findFirst(refreshed.keys)).toBe('public');
});

function sendForever(response: ServerResponse): void {
  const send = () => {
    while (!response.destroyed && response.write(tooMuch.slice(0, 4_096)));
  };
  response.on('drain', send);
  send();
}

it('accepts a token by the key that is beside members of a set that are no usable keys', async () => {
  const provider = await startIdentityProvider();
  const keys = [null, { alg: 'ES256', use: 'sig' }, { kty: 'EC', crv: 'P-256' }, provider.keys[0]?.jwk];
  provider.reply = (response) => void response.end(JSON.stringify({ keys }));
  const service = await startTestService(provider.environment);
  onTestFinished(async () => {
    await service.stop();
    await provider.stop();
  });
  // Without a key id only one key may fit.
  for (const kid of ['first', undefined]) {
    const token = await provider.sign({}, { kid });
    expect((await postPlant({ ...service, token }, { id: 1, name: 'Fern' })).status).toBe(200);
  }
});

it('rejects a token whose key cannot be used, and logs that once', async () => {
  const provider = await startIdentityProvider();
  provider.keys = [await createShortKey()];
  const service = await startTestService(provider.environment);
  onTestFinished(async () => {
    await service.stop();
    await provider.stop();
  });
  for (let attempt = 0; attempt < 2; attempt++) {
    const reply = await postPlant({ ...service, token: await provider.sign() }, { id: 1, name: 'Fern' });
    expectError(reply, 'invalid_token', 'The key of the JSON Web Token cannot be used.');
  }
  const messages = service.logLines.map((line) => JSON.parse(line).msg);
  expect(
    messages.filter((message) => message === 'a key of the identity provider cannot be used'),
  ).toHaveLength(1);
});
