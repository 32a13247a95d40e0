import { expect, it, onTestFinished } from 'vitest';
import { examine } from '../../test/support/examine.js';
import {
  beAway,
  type IdentityProvider,
  startIdentityProvider,
} from '../../test/support/identity/start-identity-provider.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import {
  type Environment,
  findMisspelled,
  inspectExposure,
  inspectIdentityProvider,
  inspectSettings,
} from './configuration.js';

const folder = '/srv';
const inspect = (environment: Environment) =>
  inspectSettings({ config: parseConfig(environment, folder), environment, folder });

it('shows the settings that make a difference', () => {
  expect(inspect({})).toEqual([{ status: 'ok', found: 'valid, all defaults' }]);
  const environment = {
    PORT: '3000',
    HOST: '0.0.0.0',
    ADMIN_HOST: '10.0.0.1',
    LOG_LEVEL: '',
    BODY_MAX_BYTES: '99',
    BODY_MEMORY_MAX_BYTES: '198',
    UNRELATED: 'x',
  };
  expect(inspect(environment)).toEqual([
    { status: 'ok', found: 'valid, HOST=0.0.0.0, BODY_MAX_BYTES=99, BODY_MEMORY_MAX_BYTES=198' },
  ]);
});

it('shows a setting by the former name that it has', () => {
  expect(inspect({ BODIES_MAX_BYTES: '3000000' })).toEqual([
    { status: 'ok', found: 'valid, BODIES_MAX_BYTES=3000000' },
  ]);
});

it('hides the password of the database', () => {
  expect(inspect({ DATABASE_URL: 'postgresql://shop:se%2Fcret@db/plants?sslmode=require' })).toEqual([
    { status: 'ok', found: 'valid, DATABASE_URL=postgresql://shop:***@db/plants?sslmode=require' },
  ]);
});

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['admin_port', 'ADMIN_PORT'],
  ['FAST_PAHT', 'FAST_PATH'],
  ['QUEUE_MAX_BITES', 'QUEUE_MAX_BYTES'],
])('warns that %s is ignored', (name, meant) => {
  expect(findMisspelled({ [name]: 'x' })).toEqual([
    { status: 'warning', found: `${name} is set, and ignored`, advice: `If ${meant} is meant, rename it.` },
  ]);
});

it('does not warn of other variables', () => {
  expect(findMisspelled({ PATH: '', PORTS: '', HOSTNAME: '', DATABASE_NAME: '', LOG_LEVEL: 'info' })).toEqual(
    [],
  );
});

it.each([
  ['127.0.0.1', 'ok'],
  ['127.1.2.3', 'ok'],
  ['::1', 'ok'],
  ['localhost', 'ok'],
  ['0.0.0.0', 'warning'],
  ['::', 'warning'],
  ['plants.example.com', 'warning'],
])('knows whether other machines reach %s: %s', (host, status) => {
  expect(inspectExposure({ config: parseConfig({ HOST: host }, '/') })).toMatchObject([{ status }]);
});

it('warns of an admin port that other machines reach', () => {
  const config = parseConfig({ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' }, '/');
  expect(inspectExposure({ config })).toMatchObject([
    { status: 'ok' },
    { status: 'warning', found: expect.stringContaining('ADMIN_HOST 0.0.0.0') },
  ]);
});

async function inspectProvider(
  environment: Readonly<Record<string, string>> = {},
  prepare: (provider: IdentityProvider) => void = () => undefined,
) {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  prepare(provider);
  const settings = { ...provider.environment, JWT_SCOPES: 'read=plants:view', ...environment };
  return [await inspectIdentityProvider({ config: parseConfig(settings, '/') })].flat();
}

it('finds nothing where no JSON Web Tokens are accepted', async () => {
  expect(await inspectIdentityProvider({ config: parseConfig({}, '/') })).toEqual([]);
});

it('counts the keys that fit the algorithms', async () => {
  expect(await inspectProvider()).toEqual([{ status: 'ok', found: '1 of 1 keys fit RS256, ES256' }]);
});

it('warns where a token needs no scope', async () => {
  expect(await inspectProvider({ JWT_SCOPES: '', JWT_REQUIRED_SCOPE: 'plants:create' })).toHaveLength(1);
  expect(await inspectProvider({ JWT_SCOPES: '' })).toMatchObject([
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
  expect(await inspectProvider(environment, prepare)).toEqual([
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
