import { expect, it } from 'vitest';
import { examine } from '../../test/support/examine.js';
import {
  beAway,
  type IdentityProvider,
  startIdentityProvider,
} from '../../test/support/identity/start-identity-provider.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import {
  findMisspelled,
  inspectExposure,
  inspectIdentityProvider,
  inspectSettings,
} from './configuration.js';

it.each([
  ['those of defaults alone', {}, 'all defaults'],
  [
    'those that make a difference',
    {
      PORT: '3000',
      HOST: '0.0.0.0',
      ADMIN_HOST: '10.0.0.1',
      LOG_LEVEL: '',
      BODY_MAX_BYTES: '99',
      BODY_MEMORY_MAX_BYTES: '198',
      UNRELATED: 'x',
    },
    'HOST=0.0.0.0, BODY_MAX_BYTES=99, BODY_MEMORY_MAX_BYTES=198',
  ],
  ['one by the former name that it has', { BODIES_MAX_BYTES: '3000000' }, 'BODIES_MAX_BYTES=3000000'],
  [
    'that of the database without the password',
    { DATABASE_URL: 'postgresql://shop:se%2Fcret@db/plants?sslmode=require' },
    'DATABASE_URL=postgresql://shop:***@db/plants?sslmode=require',
  ],
  [
    'that of the database as ADO.NET writes it, without the password',
    { DATABASE_URL: `Server=db;Database=plants;User Id=shop;Password="se'cr;et";SSL Mode=Require` },
    'DATABASE_URL=Server=db;Database=plants;User Id=shop;Password=***',
  ],
  [
    'that of the database as libpq reads it, without the password',
    { DATABASE_URL: String.raw`host=db dbname=plants user=shop password='se\'cr et' sslmode=require` },
    'DATABASE_URL=host=db dbname=plants user=shop password=***',
  ],
  [
    'that of the database in a copied command, without the password',
    { DATABASE_URL: `psql 'postgresql://shop:se@cret@db/plants?password=secret'` },
    `DATABASE_URL=psql 'postgresql://shop:***@db/plants?password=***`,
  ],
  [
    'where telemetry goes, without its password and headers',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:sesame@collector/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=sesame',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_METRICS_EXPORTER: 'none',
    },
    'OTEL_EXPORTER_OTLP_ENDPOINT=https://me:***@collector/otlp, OTEL_METRICS_EXPORTER=none',
  ],
])('shows settings: %s', (_, environment: Readonly<Record<string, string>>, shown) => {
  const folder = '/srv';
  const found = inspectSettings({ config: parseConfig(environment, folder), environment, folder });
  expect(found).toEqual([{ status: 'ok', found: `valid, ${shown}` }]);
});

it('warns about settings that are ignored or adjusted, without the headers for a collector', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'sesame',
    OTEL_TRACES_SAMPLER: 'xray',
  };
  const found = inspectSettings({ config: parseConfig(environment, '/'), environment, folder: '/' });
  expect(found).toMatchObject([
    {
      status: 'ok',
      found: expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS=***, OTEL_TRACES_SAMPLER=xray'),
    },
    { status: 'warning', found: 'OTEL_EXPORTER_OTLP_HEADERS does not take effect as set' },
    {
      status: 'warning',
      found: 'OTEL_TRACES_SAMPLER does not take effect as set',
      advice: expect.stringMatching(/^"xray" is ignored: .* parentbased_always_on is used\.$/),
    },
  ]);
  expect(JSON.stringify(found)).not.toContain('sesame');
});

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['admin_port', 'ADMIN_PORT'],
  ['FAST_PAHT', 'FAST_PATH'],
  ['QUEUE_MAX_BITES', 'QUEUE_MAX_BYTES'],
  ['PORTT', 'PORT'],
  ['HSOT', 'HOST'],
  ['port', 'PORT'],
  ['WORKER', 'WORKERS'],
  ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
  ['RATE_LIMIT_PER_SECOND', 'RATE_LIMIT_PER_MINUTE'],
  ['SHUTDOWN_TIMEOUT', 'SHUTDOWN_TIMEOUT_MS'],
  ['DRAIN_DELAY_SECONDS', 'DRAIN_DELAY_MS'],
  ['QUEUE_MAX', 'QUEUE_MAX_PLANTS or QUEUE_MAX_BYTES'],
])('warns that %s is ignored', (name, meant) => {
  expect(findMisspelled({ [name]: 'x' })).toEqual([
    { status: 'warning', found: `${name} is set, and ignored`, advice: `If you meant ${meant}, rename it.` },
  ]);
});

it('does not warn of other variables', () => {
  const others = `PATH PORTS SPORT POST HOSTNAME HOSTS HOSTTYPE PAGER PAGES CLIENTS SSH_CLIENT WORKER_ID WORKDIR LOG_LEVEL
    LOGNAME LOG_FILE DATABASE_NAME DATABASE_HOST DATABASE_PASSWORD DATABASE_URL_UNPOOLED JWT_SECRET JWT_CLIENT_SECRET
    QUEUE_URL RATE FAST PGHOST PGPORT POSTGRES_HOST OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT
    OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_HEADERS OTEL_LOGS_EXPORTER NODE_ENV npm_config_user_agent SHLVL TERM HOME BODY AUTH_TOKEN QUEUE`;
  expect(findMisspelled(Object.fromEntries(others.split(/\s+/).map((name) => [name, 'x'])))).toEqual([]);
});

it.each([
  [{ HOST: '127.0.0.1' }, ['ok']],
  [{ HOST: '127.1.2.3' }, ['ok']],
  [{ HOST: '::1' }, ['ok']],
  [{ HOST: 'localhost' }, ['ok']],
  [{ HOST: '0.0.0.0' }, ['warning']],
  [{ HOST: '::' }, ['warning']],
  [{ HOST: 'plants.example.com' }, ['warning']],
  [{ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' }, ['ok', 'warning']],
])('knows whether other machines reach %j: %j', (settings, statuses) => {
  const found = inspectExposure({ config: parseConfig(settings, '/') });
  expect([found].flat().map(({ status }) => status)).toEqual(statuses);
});

async function inspectProvider(
  environment: Readonly<Record<string, string>> = {},
  prepare: (provider: IdentityProvider) => void = () => undefined,
) {
  const provider = await startIdentityProvider();
  prepare(provider);
  const settings = { ...provider.environment, JWT_SCOPES: 'read=plants:view', ...environment };
  const [claims, ...results] = [await inspectIdentityProvider({ config: parseConfig(settings, '/') })].flat();
  expect(claims).toEqual({
    status: 'ok',
    found: 'tokens as RFC 9068 has them: scopes from scope or scp, audience from aud, subject from sub',
  });
  return results;
}

it('reports the preset, and the claims that are read', async () => {
  const provider = await startIdentityProvider();
  const settings = {
    ...provider.environment,
    JWT_PROVIDER: 'keycloak',
    JWT_SCOPE_CLAIM: 'realm_access.roles',
  };
  expect(await inspectIdentityProvider({ config: parseConfig(settings, '/') })).toMatchObject([
    {
      found:
        'tokens as keycloak has them: scopes from realm_access.roles, audience from aud, subject from sub or azp',
    },
    { status: 'ok' },
  ]);
});

it('finds nothing if no JSON Web Tokens are accepted', async () => {
  expect(await inspectIdentityProvider({ config: parseConfig({}, '/') })).toEqual([]);
});

it('counts the keys that fit the algorithms, and warns if a token needs no scope', async () => {
  const fitting = { status: 'ok', found: '1 of 1 keys fit RS256, ES256' };
  expect(await inspectProvider()).toEqual([fitting]);
  expect(await inspectProvider({ JWT_SCOPES: '', JWT_REQUIRED_SCOPE: 'plants:create' })).toEqual([fitting]);
  const advice = expect.stringContaining('Set JWT_SCOPES');
  expect(await inspectProvider({ JWT_SCOPES: '' })).toMatchObject([fitting, { status: 'warning', advice }]);
});

const replyWith = (text: string) => (provider: IdentityProvider) =>
  void Object.assign(provider, { reply: (response: { end(text: string): void }) => response.end(text) });

it.each<[string, Record<string, string>, ((provider: IdentityProvider) => void) | undefined, found: string]>([
  ['no key of an algorithm', { JWT_ALGORITHMS: 'RS256' }, undefined, '0 of 1 keys fit RS256'],
  [
    'a provider that is away',
    {},
    (provider) => Object.assign(provider, { reply: beAway }),
    'is not responding: ',
  ],
  ['a wrong page', {}, replyWith('<html>'), 'did not return JSON'],
  ['another document', {}, replyWith('{"issuer":"x"}'), 'a key set'],
])('reports %s', async (_, environment, prepare, found) => {
  expect(await inspectProvider(environment, prepare)).toEqual([
    { status: 'error', found: expect.stringContaining(found), advice: expect.stringContaining('JWT_') },
  ]);
});

it('is an item of plant-store check', async () => {
  const provider = await startIdentityProvider();
  const settings = { ...provider.environment, DATABASE_URL: `file:${temporaryFolder()}/none.db` };
  expect((await examine(settings))('identity provider')).toHaveLength(3);
});
