import { expect, it } from 'vitest';
import { examine } from '../../test/support/examine.js';
import {
  beAway,
  type IdentityProvider,
  startIdentityProvider,
} from '../../test/support/identity/start-identity-provider.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import { findMisspelled, inspectExposure, inspectSettings } from './configuration.js';

it.each([
  ['none', { LOG_LEVEL: '', UNRELATED: 'x' }, 'all settings at their defaults'],
  ['by a former name', { BODIES_MAX_BYTES: '3000000' }, 'BODIES_MAX_BYTES=3000000'],
  [
    'a URI without its password',
    { DATABASE_URL: 'postgresql://shop:se%2Fcret@db/plants?sslmode=require' },
    'DATABASE_URL=postgresql://shop:***@db/plants?sslmode=require',
  ],
  [
    'a connection string without its password',
    { DATABASE_URL: `Server=db;Database=plants;User Id=shop;Password="se'cr;et";SSL Mode=Require` },
    'DATABASE_URL=Server=db;Database=plants;User Id=shop;Password=***',
  ],
  [
    'a copied command without its passwords',
    { DATABASE_URL: `psql 'postgresql://shop:se@cret@db/plants?password=secret'` },
    `DATABASE_URL=psql 'postgresql://shop:***@db/plants?password=***`,
  ],
  [
    'a collector without its password and headers',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:sesame@collector/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=sesame',
    },
    'OTEL_EXPORTER_OTLP_ENDPOINT=https://me:***@collector/otlp, OTEL_EXPORTER_OTLP_HEADERS=***',
  ],
])('shows the settings: %s', (_, environment: Readonly<Record<string, string>>, shown) => {
  const [settings] = [inspectSettings({ config: parseConfig(environment, '/srv'), environment })].flat();
  expect(settings).toEqual({ status: 'ok', found: `valid, with ${shown}` });
});

it('warns about settings that are ignored', () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER: 'xray' };
  expect(inspectSettings({ config: parseConfig(environment, '/'), environment })).toMatchObject([
    { status: 'ok' },
    {
      status: 'warning',
      found: 'OTEL_TRACES_SAMPLER was not applied as specified',
      advice: expect.stringMatching(/^"xray" is ignored: .* parentbased_always_on is used\.$/),
    },
  ]);
});

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['QUEUE_MAX_BITES', 'QUEUE_MAX_BYTES'],
  ['PORTT', 'PORT'],
  ['HSOT', 'HOST'],
  ['port', 'PORT'],
  ['WORKER', 'WORKERS'],
  ['RATE_LIMIT_PER_SECOND', 'RATE_LIMIT_PER_MINUTE'],
  ['QUEUE_MAX', 'QUEUE_MAX_PLANTS or QUEUE_MAX_BYTES'],
])('warns that %s is ignored', (name, meant) => {
  expect(findMisspelled({ [name]: 'x' })).toEqual([
    {
      status: 'warning',
      found: `${name} is set but ignored`,
      advice: `If you meant ${meant}, rename the variable.`,
    },
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
  [{ HOST: '127.1.2.3' }, ['ok']],
  [{ HOST: '0.0.0.0' }, ['warning']],
  [{ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' }, ['ok', 'warning']],
])('knows whether other machines reach %j: %j', (settings, statuses) => {
  const found = inspectExposure({ config: parseConfig(settings, '/') });
  expect([found].flat().map(({ status }) => status)).toEqual(statuses);
});

const fitting = 'ok: 1 of 1 keys work with RS256, ES256';
const anyone = expect.stringMatching(/^warning: .* even without a scope\. Set JWT_SCOPES/);
const replyWith = (text: string) => (provider: IdentityProvider) =>
  void Object.assign(provider, { reply: (response: { end(text: string): void }) => response.end(text) });
const reported = (found: string) => expect.stringMatching(`^error: .*${found}.* JWT_`);

it.each<[string, Record<string, string>, unknown[], prepare?: (provider: IdentityProvider) => void]>([
  ['scopes are mapped', { JWT_SCOPES: 'read=plants:view' }, [fitting]],
  ['a scope is required', { JWT_REQUIRED_SCOPE: 'plants:create' }, [fitting]],
  ['no scope is needed', {}, [fitting, anyone]],
  [
    'no key fits the algorithms',
    { JWT_SCOPES: 'read=x', JWT_ALGORITHMS: 'RS256' },
    [reported('0 of 1 keys work with RS256')],
  ],
  [
    'the provider is away',
    { JWT_SCOPES: 'read=x' },
    [reported('is not responding: ')],
    (provider) => Object.assign(provider, { reply: beAway }),
  ],
  ['it has a wrong page', { JWT_SCOPES: 'read=x' }, [reported('did not return JSON')], replyWith('<html>')],
  [
    'it has another document',
    { JWT_SCOPES: 'read=x' },
    [reported('did not return a key set')],
    replyWith('{"issuer":"x"}'),
  ],
])('reports the keys of the identity provider where %s', async (_, settings, expected, prepare) => {
  const provider = await startIdentityProvider();
  prepare?.(provider);
  const DATABASE_URL = `file:${temporaryFolder()}/none.db`;
  const found = await examine({ ...provider.environment, ...settings, DATABASE_URL });
  expect(found('identity provider')).toEqual(expected);
});
