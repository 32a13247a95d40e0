import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { text } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { environmentVariables, findIgnoredFields, parseConfig } from './config.js';
import { countAvailableCores } from './runtime/available-cores.js';

it('has a default for everything', () => {
  const config = parseConfig({}, '/srv/plants');
  expect(config).toEqual({
    host: '127.0.0.1',
    port: 3000,
    admin: undefined,
    database: { engine: 'sqlite', path: '/srv/plants/data/plant-store.db' },
    logLevel: 'info',
    backupTo: undefined,
    backupKeep: 0,
    workers: 1,
    requestLogShare: 1,
    bodyLimitBytes: 1_048_576,
    bodyMemoryLimitBytes: 67_108_864,
    rateLimitPerMinute: 0,
    authFailuresPerMinute: 30,
    trustedProxies: [],
    corsOrigins: [],
    jwt: undefined,
    queueLimits: {
      queueRecords: 10_000,
      queueBytes: 33_554_432,
      batchRecords: 1_000,
      batchBytes: 4_194_304,
    },
    failingAfterMs: 3_000,
    drainDelayMs: undefined,
    shutdownTimeoutMs: 10_000,
    pageFolder: fileURLToPath(new URL('../dist/page', import.meta.url)),
    clientFolder: fileURLToPath(new URL('../dist/client', import.meta.url)),
    ignoredFields: { plant: [] },
    fastPath: true,
    warnings: [],
  });
  expect(Object.isFrozen(config)).toBe(true);
  expect(parseConfig({ PORT: '', HOST: '', UNRELATED: 'x' }, '/srv/plants')).toEqual(config);
});

it('ignores only the fields of each resource that were added after a version', () => {
  const later = text({ label: 'Location', description: 'A location', example: 'a', since: '1.6' });
  const { since: _, ...location } = later;
  const all = {
    plant: { ...resources.plant, fields: { ...resources.plant.fields, location: later } },
    garden: { name: 'garden', plural: 'gardens', fields: { location } },
  };
  expect(findIgnoredFields('1.5', all)).toEqual({ plant: ['location'], garden: [] });
  expect(findIgnoredFields(undefined, all)).toEqual({ plant: [], garden: [] });
});

it('has an admin port when one is set, on the host of the service unless it has its own', () => {
  const admin = (environment: Record<string, string>) => parseConfig(environment, '/srv').admin;
  expect(admin({ ADMIN_PORT: '0', HOST: '::1' })).toEqual({ host: '::1', port: 0 });
  expect(admin({ ADMIN_PORT: '3001', ADMIN_HOST: '' })).toEqual({ host: '127.0.0.1', port: 3001 });
  expect(admin({ ADMIN_PORT: '3001', ADMIN_HOST: '0.0.0.0' })).toEqual({ host: '0.0.0.0', port: 3001 });
  expect(admin({ ADMIN_PORT: '', ADMIN_HOST: '0.0.0.0' })).toBeUndefined();
  expect(Object.isFrozen(admin({ ADMIN_PORT: '0' }))).toBe(true);
});

it('has room for several bodies of the maximum size by default', () => {
  const limit = (environment: Record<string, string>) =>
    parseConfig(environment, '/srv').bodyMemoryLimitBytes;
  expect(limit({ BODY_MAX_BYTES: '33554432' })).toBe(134_217_728);
  expect(limit({ BODY_MAX_BYTES: '100', BODY_MEMORY_MAX_BYTES: '200' })).toBe(200);
  expect(limit({ BODY_MAX_BYTES: '100', BODIES_MAX_BYTES: '300' })).toBe(300);
  expect(() => limit({ BODY_MAX_BYTES: '101', BODY_MEMORY_MAX_BYTES: '200' })).toThrow(
    'BODY_MEMORY_MAX_BYTES must be at least twice BODY_MAX_BYTES\nFix these environment variables',
  );
});

it.each([
  ['file:./a.db', '/srv/a.db'],
  ['file:a.db', '/srv/a.db'],
  ['file:../a.db', '/a.db'],
  ['file:/var/a.db', '/var/a.db'],
  ['file:///var/a%20b.db', '/var/a b.db'],
])('parses DATABASE_URL %s as the path %s', (url, path) => {
  expect(parseConfig({ DATABASE_URL: url }, '/srv').database).toEqual({ engine: 'sqlite', path });
});

it('parses a PostgreSQL URI and its settings', () => {
  const environment = {
    DATABASE_URL: 'postgresql://ada:p%40ss@db.example:5433/plants?schema=garden&sslmode=require',
    DATABASE_POOL_SIZE: '3',
    DATABASE_STATEMENT_TIMEOUT_MS: '700',
  };
  const { database } = parseConfig(environment, '/srv');
  expect(database).toEqual({
    engine: 'postgresql',
    url: 'postgresql://ada:p%40ss@db.example:5433/plants?sslmode=require&uselibpqcompat=true',
    schema: 'garden',
    poolSize: 3,
    statementTimeoutMs: 700,
    timeouts: { startConnectMs: 10_000, connectMs: 3_000, queryMarginMs: 1_000 },
  });
  expect(Object.isFrozen(database)).toBe(true);
});

it('says what replaces a removed variable, unless it is off', () => {
  expect(() => parseConfig({ DATABASE_DIRECT_TO_NODES: 'on', PORT: 'x' }, '/srv')).toThrow(
    /PORT .*DATABASE_DIRECT_TO_NODES is no longer supported.*set the DATABASE_URL of each instance to a different node/s,
  );
  expect(parseConfig({ DATABASE_DIRECT_TO_NODES: 'off' }, '/srv')).toEqual(parseConfig({}, '/srv'));
});

it('has defaults for everything that a PostgreSQL URI omits', () => {
  const database = { schema: 'public', poolSize: 10, statementTimeoutMs: 5_000 };
  expect(parseConfig({ DATABASE_URL: 'postgres://db/plants' }, '/srv')).toMatchObject({ database });
});

it('parses a list of origins, with and without spaces', () => {
  const list = 'https://app.example.com,http://localhost:5173 , http://[::1]:8080';
  const { corsOrigins } = parseConfig({ CORS_ORIGINS: list }, '/srv');
  expect(corsOrigins).toEqual(['https://app.example.com', 'http://localhost:5173', 'http://[::1]:8080']);
  expect(Object.isFrozen(corsOrigins)).toBe(true);
});

it.each(['capacitor://localhost', 'tauri://localhost', 'chrome-extension://abcdefghijklmnop'])(
  'takes the origin of an app or an extension: %s',
  (origin) => {
    expect(parseConfig({ CORS_ORIGINS: origin }, '/srv').corsOrigins).toEqual([origin]);
    for (const other of [`${origin}/`, origin.toUpperCase()])
      expect(() => parseConfig({ CORS_ORIGINS: other }, '/srv')).toThrow('is not');
  },
);

it('quotes the value that is not valid, and truncates a long one', () => {
  const list = 'https://a.example,https://b.example/';
  expect(() => parseConfig({ CORS_ORIGINS: list }, '/srv')).toThrow('"https://b.example/" is invalid');
  const long = 'x'.repeat(10_000);
  for (const environment of [
    { CORS_ORIGINS: long },
    { TRUSTED_PROXIES: long },
    { DATABASE_URL: `postgres://db/plants?ssl${long}=1` },
  ])
    expect(() => parseConfig(environment, '/srv')).toThrow(/^.{1,500}xxx….{1,500}$/s);
});

it('has no page, no client and no shortcuts when they are switched off', () => {
  const off = { pageFolder: undefined, clientFolder: undefined, fastPath: false };
  expect(parseConfig({ PAGE: 'off', CLIENT: 'off', FAST_PATH: 'off' }, '/srv')).toMatchObject(off);
});

it.each([
  ['PORT', ['-1', '65536', '80.5', '0x50', '3000 ', 'http']],
  ['ADMIN_PORT', ['-1', '65536', 'none', '3000']],
  [
    'DATABASE_URL',
    [
      'a.db',
      'file:',
      'file::memory:',
      'file:a.db?mode=ro',
      'file://host/a.db',
      'file:///a%2Fb.db',
      'file:///%zz.db',
      'mysql://u:p@h/d',
    ],
  ],
  ['WORKERS', ['0', '-1', '1.5', '1025', 'AUTO', ' 2', '1e1', 'many']],
  ['LOG_LEVEL', ['INFO', 'loud']],
  ['LOG_REQUESTS', ['none', 'sample', 'sample=', 'sample=2', 'sample=1%', 'sample=-0.1', 'sample=0.5x']],
  ['BODY_MAX_BYTES', ['0', '1e6', '1MiB', '268435457']],
  ['BODY_MEMORY_MAX_BYTES', ['1', '64MiB', '2097151']],
  ['RATE_LIMIT_PER_MINUTE', ['-1', 'none']],
  ['AUTH_FAILURES_PER_MINUTE', ['-1', 'off']],
  ['TRUSTED_PROXIES', ['*', 'proxy.example', '0.0.0.0/0', '10.0.0.1,']],
  [
    'CORS_ORIGINS',
    [
      '*',
      'null',
      'app.example.com',
      'ftp://app.example.com',
      'https://',
      'https://*.example.com',
      'https://app.example.com/',
      'https://app.example.com/shop',
      'https://app.example.com?x',
      'https://user@app.example.com',
      'https://app.example.com:443',
      'https://App.example.com',
      'https://a.example https://b.example',
      'https://a.example;https://b.example',
      'https://a.example;b.example',
      'https://a.example;',
      'https://a.example=b.example',
      'https://a.example,',
      ',',
    ],
  ],
  ['QUEUE_MAX_PLANTS', ['0', 'all']],
  ['QUEUE_MAX_BYTES', ['0', '32MiB']],
  ['DRAIN_DELAY_MS', ['5s', '-1']],
  ['SHUTDOWN_TIMEOUT_MS', ['10s']],
  ['PAGE', ['OFF', 'false', '0']],
  ['FAST_PATH', ['OFF', 'false', '0']],
])('rejects %s when it is one of %j', (name, values) => {
  for (const value of values) {
    expect(() => parseConfig({ [name]: value }, '/srv'), value).toThrow(`  ${name} must `);
  }
});

it('is completely documented in the pages on settings', () => {
  const listed = ['settings', 'opentelemetry'].flatMap((name) => {
    const page = readFileSync(new URL(`../../../docs/operate/${name}.md`, import.meta.url), 'utf8');
    const rows = page.match(/^\| (`[A-Z_]+`(, )?)+ \|/gm) ?? [];
    return rows.flatMap((row) => row.match(/[A-Z_]+/g) ?? []);
  });
  // The page lists a variable of OTLP once, without the signal.
  const ofSignal = /^(OTEL_EXPORTER_OTLP_)(?:TRACES|METRICS)_(?!TEMPORALITY|DEFAULT)/;
  const expected = new Set(environmentVariables.map((name) => name.replace(ofSignal, '$1')));
  expect(listed).toEqual([...expected]);
});

it('is one worker by default, a number, or one for each core', () => {
  expect(parseConfig({}, '/').workers).toBe(1);
  expect(parseConfig({ WORKERS: '1024' }, '/').workers).toBe(1_024);
  expect(parseConfig({ WORKERS: 'auto' }, '/').workers).toBe(countAvailableCores());
});

it.each([
  ['QUEUE_MAX_PLANTS', { QUEUE_MAX_PLANTS: '3' }, 'must be at least WORKERS (4)'],
  [
    'DATABASE_POOL_SIZE',
    { DATABASE_URL: 'postgresql://localhost/plants', DATABASE_POOL_SIZE: '4' },
    'must be greater than WORKERS (4): one connection for each worker, plus one more',
  ],
  [
    'BODY_MEMORY_MAX_BYTES',
    { BODY_MAX_BYTES: '1000', BODY_MEMORY_MAX_BYTES: '7999' },
    'must be at least twice BODY_MAX_BYTES for each worker',
  ],
])('rejects a %s whose share for a worker would be too small', (name, variables, problem) => {
  expect(() => parseConfig({ ...variables, WORKERS: '4' }, '/')).toThrow(`${name} ${problem}`);
  expect(() => parseConfig({ ...variables, WORKERS: '3' }, '/')).not.toThrow();
});
