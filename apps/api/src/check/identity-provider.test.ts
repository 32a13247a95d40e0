import { expect, it, onTestFinished } from 'vitest';
import { examine } from '../../test/support/examine.js';
import {
  beAway,
  type IdentityProvider,
  startIdentityProvider,
} from '../../test/support/identity/start-identity-provider.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import { identityProvider } from './identity-provider.js';

async function inspect(
  environment: Readonly<Record<string, string>> = {},
  prepare: (provider: IdentityProvider) => void = () => undefined,
) {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  prepare(provider);
  const settings = { ...provider.environment, JWT_SCOPES: 'read=plants:view', ...environment };
  return [await identityProvider.inspect({ config: parseConfig(settings, '/') })].flat();
}

it('finds nothing where no JSON Web Tokens are accepted', async () => {
  expect(await identityProvider.inspect({ config: parseConfig({}, '/') })).toEqual([]);
});

it('counts the keys that fit the algorithms', async () => {
  expect(await inspect()).toEqual([{ status: 'ok', found: '1 of 1 keys fit RS256, ES256' }]);
});

it('warns where a token needs no scope', async () => {
  expect(await inspect({ JWT_SCOPES: '', JWT_REQUIRED_SCOPE: 'plants:create' })).toHaveLength(1);
  expect(await inspect({ JWT_SCOPES: '' })).toMatchObject([
    { status: 'ok' },
    { status: 'warning', advice: expect.stringContaining('Set JWT_SCOPES') },
  ]);
});

it.each<[string, Record<string, string>, (provider: IdentityProvider) => void, found: string]>([
  ['no key of an algorithm', { JWT_ALGORITHMS: 'RS256' }, () => undefined, '0 of 1 keys fit RS256'],
  [
    'a provider that is away',
    {},
    (provider) => Object.assign(provider, { reply: beAway }),
    'does not answer: ',
  ],
  ['a wrong page', {}, (provider) => replyWith(provider, '<html>'), 'did not answer with JSON'],
  ['another document', {}, (provider) => replyWith(provider, '{"issuer":"x"}'), 'with a key set'],
])('reports %s', async (_, environment, prepare, found) => {
  expect(await inspect(environment, prepare)).toEqual([
    { status: 'error', found: expect.stringContaining(found), advice: expect.stringContaining('JWT_') },
  ]);
});

function replyWith(provider: IdentityProvider, text: string): void {
  provider.reply = (response) => void response.end(text);
}

it('is an item of plant-store check', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  const settings = { ...provider.environment, DATABASE_URL: `file:${temporaryFolder()}/none.db` };
  const findings = await examine(settings);
  expect(findings('identity provider')).toHaveLength(2);
});
