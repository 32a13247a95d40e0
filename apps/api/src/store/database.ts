import type { ResourceTypes } from '@plant-store/contract';
import type { ResourceName } from '@plant-store/contract/resources';
import { ServiceError } from '@plant-store/records';
import type { Registry } from '@prometheus-io/client';
import * as z from 'zod';
import type { AccessTokenStore } from '../auth/token-service.js';
import type { AuditStore } from './audit-store.js';
import type { RecordStore, Write, WriteOutcome } from './store.js';
import type { Table } from './table.js';

/** The fields of a log line besides its message. */
export interface LogFields {
  readonly err?: Error;
}

/** The log of a database for events between requests: the part of pino's `Logger` that it needs. */
export interface DatabaseLog {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export interface Database {
  readonly stores: { readonly [Name in ResourceName]: RecordStore<ResourceTypes[Name]['fields']> };
  /**
   * Stores writes in one commit, creates first.
   *
   * @param writes of any resources if `writesTogether`; otherwise creates of one resource, or changes of one
   * @returns one outcome per write, in the same order; throws as `RecordStore.create` does
   */
  write(writes: readonly Write[]): Promise<readonly WriteOutcome[]>;
  /** Whether a `write` call may mix creates, changes, and resources. */
  readonly writesTogether: boolean;
  /** Whether a `write` call may have several changes. Default: `true`. */
  readonly changesTogether?: boolean;
  readonly accessTokens: AccessTokenStore;
  readonly audit: AuditStore;
  /** The migrations that were applied when it was opened, in order; empty if it was up to date. */
  readonly appliedMigrations: readonly string[];
  /** How many lists are read at a time: some connections are left for creates. */
  readonly concurrentLists: number;
  /** How many commits of records may be in flight at a time. */
  readonly concurrentCommits: number;
  /**
   * Checks that the engine would store a record now.
   *
   * @throws {ServiceError} `database_unavailable` when it does not answer, or is read-only; `database_damaged` once it
   * was found damaged. `/readyz` shows the name of the error as its reason.
   */
  check(): Promise<void>;
  /**
   * Tests that a record of each resource can be stored and committed, without leaving one behind. It costs more than `check`, and finds
   * problems that only a commit meets, such as a full disk or a missing standby.
   *
   * @throws {ServiceError} as `check` does
   */
  probeCommit(): Promise<void>;
  /** Gives the store a new generation, so that all existing cursors of changes expire, because they may not match the stored records. */
  invalidateCursors(): Promise<void>;
  /** Problems that an operator should know about while the database works, as sentences that `/readyz` shows. */
  warnings?(): readonly string[];
  /** Closes it. Everything acknowledged is on disk already. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Receives events between requests; by default warnings and errors go to standard error. */
  readonly log?: DatabaseLog;
  /** For commands that add nothing: a database that is missing is an error, and not created. Default: `false`. */
  readonly mustExist?: boolean;
  /** Its tables. Default: the tables of all resources of the API. */
  readonly tables?: readonly Table[] | undefined;
  /** For how many days replaced states are kept; 0 for none. Default: forever. */
  readonly historyDays?: number | undefined;
  readonly metrics?: Registry | undefined;
}

/** The log for commands: warnings and errors become process warnings on standard error. */
export const stderrLog: DatabaseLog = {
  info: () => undefined,
  warn: emitWarning,
  error: emitWarning,
};

function emitWarning({ err }: LogFields, message: string): void {
  process.emitWarning(err === undefined ? message : `${message}: ${err.message}`);
}

/** The error for requests while the database is unavailable, caused by an error of the engine or the operating system. */
export function databaseUnavailable(cause: unknown): ServiceError {
  const message = 'The database is not responding. Try again in 1 second.';
  return new ServiceError('database_unavailable', message, { retryAfterSeconds: 1, cause });
}

export function isDatabaseUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

/** The error for requests once the database was found damaged. It has no `Retry-After`: only the operator can fix this. */
export function databaseDamaged(cause: unknown): ServiceError {
  const message = 'The database is damaged. Ask the operator to restore it.';
  return new ServiceError('database_damaged', message, { cause });
}

/** An error of an engine or its driver: its code, which an error of a connection does not have, and its message. */
export interface DriverError {
  readonly code?: string;
  readonly message: string;
}

/** How Prisma's driver adapters describe an error: of the engine, with its code, or of the connection. */
const CauseSchema = z.object({
  kind: z.string().optional(),
  originalCode: z.string().optional(),
  originalMessage: z.string().optional(),
  reason: z.string().optional(),
});

/** Where errors of Prisma's client and of its driver adapters contain that description. */
const AdapterErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ name: z.literal('DriverAdapterError'), cause: CauseSchema.optional() }),
]);

/** The engine's error inside an error of Prisma; `undefined` for any other error. */
export function findAdapterError(error: unknown): DriverError | undefined {
  const { data } = AdapterErrorSchema.safeParse(error);
  if (data === undefined) return undefined;
  const { originalCode: code, ...cause } = ('meta' in data ? data.meta.driverAdapterError : data).cause ?? {};
  const message = cause.originalMessage ?? cause.reason ?? cause.kind ?? 'the connection broke';
  return { ...(code !== undefined && { code }), message };
}

/**
 * What an error of an engine means for a request.
 *
 * - `unavailable`: the statement is right, but the engine cannot run it at the moment, or in its configuration. 503.
 * - `damaged`: the stored data is damaged, and a retry does not help. 503, with another error.
 * - `bug`: the statement does not fit the tables or the record. Since the tables are checked at the start, this is a bug
 *   of the service, or they were changed since. The batch is then retried in halves, and only the record that causes the
 *   error gets a 500.
 */
export type Meaning = 'unavailable' | 'damaged' | 'bug';

/**
 * Converts an error of an engine into one of the registry, or for a bug into one with the engine's code and message: Prisma's own
 * message has only the kind of error.
 */
export function toServiceError(
  error: unknown,
  { code = 'no connection', message }: DriverError,
  meaning: Meaning,
): Error {
  const cause = new Error(`${code}: ${message}`, { cause: error });
  if (meaning === 'bug') return cause;
  return meaning === 'damaged' ? databaseDamaged(cause) : databaseUnavailable(cause);
}
