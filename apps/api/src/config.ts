import { resolve } from 'node:path';
import * as z from 'zod';
import {
  type DatabaseLocation,
  type ParsedDatabaseUrl,
  parseDatabaseUrl,
} from './database/database-location.js';
import { OperatorError } from './errors/operator-error.js';
import type { PlantBatcherLimits } from './plants/plant-batcher.js';

/** The settings of the service, parsed once from the environment and frozen. */
export type Config = Readonly<{
  /** The address to listen on. */
  host: string;
  /** The port to listen on; 0 takes any free one. */
  port: number;
  /** Where the admin port listens, for health checks; `undefined` for none. A port of 0 takes any free one. */
  admin: Readonly<{ host: string; port: number }> | undefined;
  database: DatabaseLocation;
  logLevel: (typeof logLevels)[number];
  /** The largest request body that is read, in bytes. */
  bodyLimitBytes: number;
  /** How much all bodies that are being read may hold together, in bytes; at least twice `bodyLimitBytes`. */
  bodiesLimitBytes: number;
  /** Requests that one access token may make in a minute; 0 is no limit. */
  rateLimitPerMinute: number;
  /** Origins whose pages may call the service from a browser, such as `https://app.example.com`; none by default. */
  corsOrigins: readonly string[];
  /** How much may wait to be stored, and how much goes into one commit. */
  batcherLimits: PlantBatcherLimits;
  /** How long running requests have to finish when the service is told to stop, in milliseconds. */
  shutdownTimeoutMs: number;
}>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What goes into one commit at most: past this a larger one is hardly cheaper per plant, and only delays others. */
const batchPlants = 1_000;
const batchBytes = 2 ** 22;

/** Every variable that the service reads, with its default; the operations page lists the same. */
const EnvironmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  ADMIN_PORT: wholeNumber(0, 65_535).optional(),
  ADMIN_HOST: z.string().optional(),
  DATABASE_URL: z.string().default('file:./data/plant-store.db').transform(toDatabase),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000).default(10),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 10 ** 7).default(5_000),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  BODY_MAX_BYTES: wholeNumber(1, 2 ** 28).default(2 ** 20),
  BODIES_MAX_BYTES: wholeNumber(2, 2 ** 33).optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10 ** 9).default(0),
  CORS_ORIGINS: z.string().default('').transform(toOrigins),
  QUEUE_MAX_PLANTS: wholeNumber(1, 10 ** 6).default(10_000),
  QUEUE_MAX_BYTES: wholeNumber(1, 2 ** 30).default(2 ** 25),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, 10 ** 7).default(10_000),
});

/** The names of all variables that the service reads. */
export const environmentVariables: readonly string[] = Object.keys(EnvironmentSchema.shape);

/**
 * Parses the environment. A variable that is set to nothing counts as not set.
 *
 * @param environment the variables, such as `process.env`
 * @param folder what a relative path in `DATABASE_URL` is relative to
 * @throws {OperatorError} that names all variables at fault at once
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = EnvironmentSchema.safeParse(set);
  if (!parsed.success) throw new OperatorError(describeFaults(parsed.error), { exitCode: 2 });
  const variables = parsed.data;
  const bodiesLimitBytes = variables.BODIES_MAX_BYTES ?? defaultBodiesLimit(variables.BODY_MAX_BYTES);
  if (bodiesLimitBytes < 2 * variables.BODY_MAX_BYTES)
    throw new OperatorError(bodiesLimitTooLow, { exitCode: 2 });
  return Object.freeze({
    host: variables.HOST,
    port: variables.PORT,
    admin:
      variables.ADMIN_PORT === undefined
        ? undefined
        : Object.freeze({ host: variables.ADMIN_HOST ?? variables.HOST, port: variables.ADMIN_PORT }),
    database: Object.freeze(
      variables.DATABASE_URL.engine === 'sqlite'
        ? { engine: 'sqlite', path: resolve(folder, variables.DATABASE_URL.path) }
        : {
            ...variables.DATABASE_URL,
            poolSize: variables.DATABASE_POOL_SIZE,
            statementTimeoutMs: variables.DATABASE_STATEMENT_TIMEOUT_MS,
          },
    ),
    logLevel: variables.LOG_LEVEL,
    bodyLimitBytes: variables.BODY_MAX_BYTES,
    bodiesLimitBytes,
    rateLimitPerMinute: variables.RATE_LIMIT_PER_MINUTE,
    corsOrigins: Object.freeze(variables.CORS_ORIGINS),
    batcherLimits: Object.freeze({
      queuePlants: variables.QUEUE_MAX_PLANTS,
      queueBytes: variables.QUEUE_MAX_BYTES,
      batchPlants,
      batchBytes,
    }),
    shutdownTimeoutMs: variables.SHUTDOWN_TIMEOUT_MS,
  });
}

function defaultBodiesLimit(bodyLimitBytes: number): number {
  return Math.max(2 ** 26, 4 * bodyLimitBytes);
}

/** One token may hold half of all room for bodies, which must do for one body. */
const bodiesLimitTooLow = `The configuration is not valid:
  BODIES_MAX_BYTES must be at least twice BODY_MAX_BYTES
Set it higher and start again.`;

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

/**
 * The origins in a comma-separated list. Only the spelling that browsers send is taken, since an origin is compared
 * to the letter.
 */
function toOrigins(list: string, context: z.RefinementCtx): string[] {
  const origins = list === '' ? [] : list.split(',').map((origin) => origin.trim());
  const fault = origins.find((origin) => !isOrigin(origin));
  if (fault === undefined) return origins;
  context.addIssue(
    `must be origins separated by commas, each http(s)://host or http(s)://host:port as browsers send it, \
such as https://app.example.com, without a path, a final slash or *; "${fault}" is none`,
  );
  return z.NEVER;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function toDatabase(url: string, context: z.RefinementCtx): ParsedDatabaseUrl {
  const parsed = parseDatabaseUrl(url);
  if (!('fault' in parsed)) return parsed;
  context.addIssue(parsed.fault);
  return z.NEVER;
}

function describeFaults(error: z.ZodError): string {
  const faults = error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
  return `The configuration is not valid:\n${faults.join('\n')}\nMend these environment variables and start again.`;
}
