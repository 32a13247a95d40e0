import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shorten } from '@plant-store/contract/messages';
import { fieldsAfter, type Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { checkJwtVariables, jwtVariables, toJwtSettings, wholeNumber } from './auth/jwt-settings.js';
import { ConfigurationError } from './errors/operator-error.js';
import { failingAfterMs } from './observe/commit-health.js';
import { otlpVariables, toOtlpSettings } from './observe/otlp-settings.js';
import { docsPath, packageFolder } from './package-folder.js';
import { countAvailableCores } from './runtime/available-cores.js';
import type { QueueLimits } from './store/commit-queue.js';
import {
  addPasswordFromFile,
  type DatabaseLocation,
  parseDatabaseUrl,
  postgresqlTimeouts,
} from './store/database-location.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const onByDefault = z
  .enum(['on', 'off'], { error: 'must be on or off' })
  .default('on')
  .transform((text) => text === 'on');

/** The maximum number of workers, which is more than any machine has cores for. */
const maxWorkers = 1_024;

/** Parses `WORKERS`: a number, or `auto` for the number of available cores. */
const workerCount = z.union(
  [z.literal('auto').transform(() => countAvailableCores()), wholeNumber(1, maxWorkers)],
  {
    error: `must be auto or a whole number from 1 to ${maxWorkers}`,
  },
);

/** Parses `LOG_REQUESTS`, such as `sample=0.01`, to the share of requests to log, from 0 to 1. */
const requestLogShare = z.union(
  [
    z.literal('all').transform(() => 1),
    z.literal('errors').transform(() => 0),
    z
      .string()
      .regex(/^sample=(0?\.\d{1,9}|[01])$/)
      .transform((text) => Number(text.slice('sample='.length))),
  ],
  { error: 'must be all, errors, or sample= followed by a fraction from 0 to 1, such as sample=0.01' },
);

/**
 * The maximum number of records per commit, and their maximum total size, in bytes. A larger commit is hardly cheaper per record, and
 * delays other requests.
 */
const batchRecords = 1_000;
const batchBytes = 2 ** 22;

/** Lower bound for the default memory limit of bodies and replies, in bytes. */
const minBodyMemoryBytes = 2 ** 26;

/** Every variable that the service reads, with its default. A test compares it with the documentation. */
const EnvironmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  ADMIN_PORT: wholeNumber(0, 65_535).optional(),
  ADMIN_HOST: z.string().optional(),
  DATABASE_URL: z.string().default('file:./data/plant-store.db').transform(orIssue(parseDatabaseUrl)),
  DATABASE_PASSWORD_FILE: z.string().optional(),
  BACKUP_TO: z.string().optional(),
  BACKUP_KEEP: wholeNumber(0, 100_000).default(0),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000).default(10),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 10 ** 7).default(5_000),
  WORKERS: workerCount.prefault('1'),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  LOG_REQUESTS: requestLogShare.prefault('all'),
  BODY_MAX_BYTES: wholeNumber(1, 2 ** 28).default(2 ** 20),
  BODY_MEMORY_MAX_BYTES: wholeNumber(2, 2 ** 33).optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10 ** 9).default(0),
  AUTH_FAILURES_PER_MINUTE: wholeNumber(0, 10 ** 9).default(30),
  TRUSTED_PROXIES: z.string().default('').transform(orIssue(parseTrustedProxies)),
  CORS_ORIGINS: z.string().default('').transform(toOrigins),
  ...jwtVariables,
  QUEUE_MAX_PLANTS: wholeNumber(1, 10 ** 6).default(10_000),
  QUEUE_MAX_BYTES: wholeNumber(1, 2 ** 30).default(2 ** 25),
  DRAIN_DELAY_MS: wholeNumber(0, 10 ** 7).optional(),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, 10 ** 7).default(10_000),
  PAGE: onByDefault,
  CLIENT: onByDefault,
  HISTORY_DAYS: wholeNumber(0, 36_500).optional(),
  COMPATIBLE_WITH: z
    .string()
    .regex(/^\d+\.\d+$/, { error: 'must be a minor version, such as 1.3' })
    .optional(),
  FAST_PATH: onByDefault,
  ...otlpVariables,
});

/** Checks rules that involve several variables, and adds the database location, which depends on several variables. */
const SettingsSchema = EnvironmentSchema.superRefine(checkLimits)
  .superRefine(checkJwtVariables)
  .transform((variables, context) => {
    const database = addPasswordFromFile(variables.DATABASE_URL, variables.DATABASE_PASSWORD_FILE);
    if (!('problem' in database)) return { ...variables, database };
    context.addIssue({ code: 'custom', path: ['DATABASE_PASSWORD_FILE'], message: database.problem });
    return z.NEVER;
  });

/** Former variable names that are still valid, with the current names. */
export const formerNames: Readonly<Record<string, string>> = { BODIES_MAX_BYTES: 'BODY_MEMORY_MAX_BYTES' };

/** Removed variables, each with advice. Only the value `off` is still accepted. */
const removedVariables: Readonly<Record<string, () => string>> = {
  DATABASE_DIRECT_TO_NODES: () =>
    `is no longer supported, because Citus accepts writes on every node. Remove it, or set the DATABASE_URL of each instance to a different node (see ${docsPath('docs/operate/citus.md')})`,
};

export const environmentVariables: readonly string[] = Object.keys(EnvironmentSchema.shape);

/**
 * Parses the environment. An empty variable counts as not set.
 *
 * @param folder the folder for resolving a relative path in `DATABASE_URL`
 * @throws {ConfigurationError} with all invalid variables
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Config {
  const set = Object.fromEntries(
    Object.entries(environment)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [formerNames[name] ?? name, value]),
  );
  const parsed = SettingsSchema.safeParse(set);
  const removed = Object.entries(removedVariables).flatMap(([name, message]) =>
    set[name] === undefined || set[name] === 'off' ? [] : `${name} ${message()}`,
  );
  if (!parsed.success || removed.length > 0) {
    const issues = parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigurationError([...(issues ?? []), ...removed]);
  }
  return toConfig(parsed.data, folder);
}

/** The settings of the service, parsed once from the environment and frozen. */
export type Config = ReturnType<typeof toConfig>;

/** Converts the variables to the service's settings, which docs/operate/settings.md describes. */
function toConfig(variables: z.infer<typeof SettingsSchema>, folder: string) {
  const { database, HOST: host, WORKERS: workers, BODY_MAX_BYTES: bodyLimitBytes } = variables;
  const location: DatabaseLocation =
    database.engine === 'sqlite'
      ? { engine: 'sqlite', path: resolve(folder, database.path) }
      : {
          engine: 'postgresql',
          url: database.url,
          schema: database.schema,
          poolSize: variables.DATABASE_POOL_SIZE,
          statementTimeoutMs: variables.DATABASE_STATEMENT_TIMEOUT_MS,
          timeouts: postgresqlTimeouts,
        };
  const queueLimits: QueueLimits = {
    queueRecords: variables.QUEUE_MAX_PLANTS,
    queueBytes: variables.QUEUE_MAX_BYTES,
    batchRecords,
    batchBytes,
  };
  const { otlp, warnings } = toOtlpSettings(variables);
  if (database.warnings.length > 0)
    warnings.unshift({ variable: 'DATABASE_URL', reason: database.warnings.join(' ') });
  return Object.freeze({
    host,
    /** The port to listen on; 0 for any free one. */
    port: variables.PORT,
    /** The address of the admin port, which serves health checks and metrics; `undefined` for none. Port 0 means any free port. */
    admin:
      variables.ADMIN_PORT === undefined
        ? undefined
        : Object.freeze({ host: variables.ADMIN_HOST ?? host, port: variables.ADMIN_PORT }),
    database: Object.freeze(location),
    backupTo: variables.BACKUP_TO,
    backupKeep: variables.BACKUP_KEEP,
    /** How many processes serve requests. With 1, the service has no workers. */
    workers,
    logLevel: variables.LOG_LEVEL,
    /** The share of successful requests to log, from 0 to 1. Requests with an error are always logged. */
    requestLogShare: variables.LOG_REQUESTS,
    bodyLimitBytes,
    /** Memory limit for all bodies and replies together, in bytes; at least twice `bodyLimitBytes`. */
    bodyMemoryLimitBytes:
      variables.BODY_MEMORY_MAX_BYTES ?? Math.max(minBodyMemoryBytes, 4 * bodyLimitBytes * workers),
    rateLimitPerMinute: variables.RATE_LIMIT_PER_MINUTE,
    authFailuresPerMinute: variables.AUTH_FAILURES_PER_MINUTE,
    trustedProxies: Object.freeze(variables.TRUSTED_PROXIES),
    corsOrigins: Object.freeze(variables.CORS_ORIGINS),
    jwt: toJwtSettings(variables),
    queueLimits: Object.freeze(queueLimits),
    failingAfterMs,
    /**
     * How long the service accepts requests after a stop signal, so that load balancers have time to notice, in milliseconds; `undefined`
     * for the default of `serve`.
     */
    drainDelayMs: variables.DRAIN_DELAY_MS,
    shutdownTimeoutMs: variables.SHUTDOWN_TIMEOUT_MS,
    pageFolder: variables.PAGE ? fileURLToPath(new URL('dist/page', packageFolder)) : undefined,
    clientFolder: variables.CLIENT ? fileURLToPath(new URL('dist/client', packageFolder)) : undefined,
    historyDays: variables.HISTORY_DAYS,
    /** The fields of each resource that the service ignores, because older instances that share the database would drop them. */
    ignoredFields: findIgnoredFields(variables.COMPATIBLE_WITH, resources),
    /** Whether the service uses shortcuts that depend on undocumented parts of its dependencies (decision 10). */
    fastPath: variables.FAST_PATH,
    otlp,
    /** Settings that are ignored or adjusted. The log and `plant-store check` show them. */
    warnings: Object.freeze(warnings),
  });
}

/** Returns the fields of each resource that were added after a version, such as `1.3`; no fields without a version. */
export function findIgnoredFields<Name extends string>(
  version: string | undefined,
  all: Readonly<Record<Name, Resource>>,
): Readonly<Record<Name, readonly string[]>> {
  const ignored = Object.entries<Resource>(all).map(([name, resource]) => [
    name,
    version === undefined ? [] : fieldsAfter(version, resource),
  ]);
  return Object.freeze(Object.fromEntries(ignored));
}

/** Returns a zod transform that reports a parser's problem as an issue. */
function orIssue<Value extends object>(parse: (text: string) => Value | { readonly problem: string }) {
  return (text: string, context: z.RefinementCtx): Value => {
    const parsed = parse(text);
    if (!('problem' in parsed)) return parsed;
    context.addIssue(parsed.problem);
    return z.NEVER;
  };
}

/** Checks limits that depend on each other, such as limits that are divided among workers. */
function checkLimits(variables: z.infer<typeof EnvironmentSchema>, context: z.RefinementCtx): void {
  const report = (name: keyof typeof variables, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { WORKERS, BODY_MAX_BYTES, BODY_MEMORY_MAX_BYTES = Infinity } = variables;
  const { HOST, PORT, ADMIN_HOST = HOST, ADMIN_PORT } = variables;
  if (ADMIN_PORT === PORT && ADMIN_HOST === HOST && PORT !== 0) report('ADMIN_PORT', 'must differ from PORT');
  // One token can use half of the limit, and that half must have room for one body.
  if (BODY_MEMORY_MAX_BYTES < 2 * BODY_MAX_BYTES)
    report('BODY_MEMORY_MAX_BYTES', 'must be at least twice BODY_MAX_BYTES');
  else if (BODY_MEMORY_MAX_BYTES < 2 * BODY_MAX_BYTES * WORKERS)
    report('BODY_MEMORY_MAX_BYTES', 'must be at least twice BODY_MAX_BYTES for each worker');
  if (WORKERS === 1) return;
  for (const name of ['QUEUE_MAX_PLANTS', 'QUEUE_MAX_BYTES'] as const)
    if (variables[name] < WORKERS) report(name, `must be at least WORKERS (${WORKERS})`);
  if (variables.DATABASE_URL.engine !== 'sqlite' && variables.DATABASE_POOL_SIZE <= WORKERS) {
    const connections = 'one connection for each worker, plus one more';
    report('DATABASE_POOL_SIZE', `must be greater than WORKERS (${WORKERS}): ${connections}`);
  }
}

/** Parses a comma-separated list of origins. Accepts only the spelling that browsers send, because origins are compared exactly. */
function toOrigins(list: string, context: z.RefinementCtx): string[] {
  const origins = list === '' ? [] : list.split(',').map((origin) => origin.trim());
  const invalid = origins.find((origin) => !isOrigin(origin));
  if (invalid === undefined) return origins;
  context.addIssue(
    `must be a comma-separated list of origins, each scheme://host or scheme://host:port as browsers send it, \
such as https://app.example.com or capacitor://localhost, without a path, a trailing slash, or *; "${shorten(invalid)}" is invalid`,
  );
  return z.NEVER;
}

function isOrigin(text: string): boolean {
  const hasHost = /^[a-z][a-z\d+.-]*:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?$/.test(text);
  if (!hasHost || !URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  if (/^https?:$/.test(protocol)) return origin === text;
  // Accepts origins of apps and extensions, such as capacitor://localhost, but not with these schemes, which no page has.
  return href === text && !/^(?:wss?|ftp|file):$/.test(protocol);
}

/** Range names that Express predefines. */
const proxyRanges = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Parses `TRUSTED_PROXIES`: addresses, CIDR ranges, and range names, separated by commas, as in Express's `trust proxy` setting.
 *
 * @returns the parts, or the problem, as the rest of a sentence that begins with "TRUSTED_PROXIES"
 */
export function parseTrustedProxies(list: string): readonly string[] | { readonly problem: string } {
  const proxies = list === '' ? [] : list.split(',').map((proxy) => proxy.trim());
  const invalid = proxies.find((proxy) => !proxyRanges.includes(proxy) && !isRange(proxy));
  if (invalid === undefined) return proxies;
  return {
    problem: `must be a comma-separated list of proxy addresses, each an IP address, a range such as 10.1.0.0/16 or \
fd00:1::/64, or one of ${proxyRanges.join(', ')}; "${shorten(invalid)}" is invalid`,
  };
}

/** Express matches IPv4 addresses in an IPv6 range as ::ffff:0:0/96. */
const ipv4Mapped = ipaddr.IPv6.parse('::ffff:0:0');

/**
 * Whether a text is an address or an address range. Ranges of all addresses or all IPv4 addresses are rejected, because they would include
 * the clients themselves.
 */
function isRange(text: string): boolean {
  const [, address = '', digits] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  // Rejects forms that only ipaddr.js accepts, and so Express, such as 10 and 010.0.0.1.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  if (digits === undefined) return true;
  const parsed = ipaddr.parse(address);
  const prefix = Number(digits);
  if ('octets' in parsed) return prefix <= 32;
  return prefix <= 128 && (prefix > 96 || !ipv4Mapped.match(parsed, prefix));
}
