import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createProviderKeys } from '../../src/auth/provider-keys.js';
import { expectError } from '../support/expect-error.js';
import { createShortKey, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

// What of a reply is read, and which keys are usable, is in src/auth/provider-keys.test.ts.

it.each<[string, reply: string | ((response: ServerResponse) => void), problem: string]>([
  ['an error', (response) => void response.writeHead(500).end('{"keys":[]}'), 'status 500'],
  ['a page', '<!doctype html>', 'did not return JSON'],
  ['nothing', '', 'did not return JSON'],
  ['no key set', '{"key":[]}', 'did not return a key set'],
  ['a list', '[]', 'did not return a key set'],
  ['null', 'null', 'did not return a key set'],
  ['no key', '{"keys":[]}', 'returned no key for RS256, ES256'],
  ['no usable key', '{"keys":[null,{"kty":"RSA","use":"enc"}]}', 'returned no key for RS256, ES256'],
  ['data without an end', sendForever, 'more than 262144 bytes'],
])('keeps the keys, and logs why, when the provider answers with %s', async (_, reply, problem) => {
  const provider = await startIdentityProvider();
  const problems: string[] = [];
  const keyTimes = { refreshMs: 10, cooldownMs: 10, timeoutMs: 600_000, staleMs: 600_000 };
  const log = { info: () => undefined, warn: ({ err }: { err: unknown }) => void problems.push(String(err)) };
  const settings = { jwksUrl: provider.jwksUrl, algorithms: ['RS256', 'ES256'], keyTimes };
  const keys = createProviderKeys(settings, log);
  onTestFinished(keys.close);
  const find = async () => keys.find({ alg: 'ES256', kid: 'first' }, { payload: '', signature: '' });
  const findFirst = async () => (await find().catch(() => undefined))?.type;
  await until(findFirst);
  provider.reply = typeof reply === 'string' ? (response) => void response.end(reply) : reply;
  await until(() => problems.length > 0);
  expect(problems[0]).toContain(problem);
  expect(await findFirst()).toBe('public');
});

function sendForever(response: ServerResponse): void {
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(4_096)));
  };
  response.on('drain', send);
  send();
}

it('accepts a token by the key that is beside members of a set that are no usable keys', async () => {
  const provider = await startIdentityProvider();
  const keys = [null, { alg: 'ES256', use: 'sig' }, { kty: 'EC', crv: 'P-256' }, provider.keys[0]?.jwk];
  provider.reply = (response) => void response.end(JSON.stringify({ keys }));
  const service = await startTestService(provider.environment);
  // Without a key id only one key may fit.
  for (const kid of ['first', undefined]) {
    const token = await provider.sign({}, { kid });
    expect((await postPlant({ ...service, token }, { id: 1, name: 'Fern' })).status).toBe(200);
  }
});

it('rejects a token whose key cannot be used', async () => {
  const provider = await startIdentityProvider();
  provider.keys = [await createShortKey()];
  const service = await startTestService(provider.environment);
  const reply = await postPlant({ ...service, token: await provider.sign() }, { id: 1, name: 'Fern' });
  expectError(reply, 'invalid_token', 'The key of the JSON Web Token cannot be used.');
});
