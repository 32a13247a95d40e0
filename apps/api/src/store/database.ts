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

/** A log for database events that no request causes. Contains the part of pino's `Logger` that the stores need. */
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
   * @param writes to any resources if `writesTogether`; otherwise only creates or only changes, of one resource
   * @returns one outcome per write, in the same order
   * @throws {ServiceError} as `RecordStore.create` does
   */
  write(writes: readonly Write[]): Promise<readonly WriteOutcome[]>;
  /** Whether a `write` call can mix creates, changes, and resources. */
  readonly writesTogether: boolean;
  /** Whether a `write` call can have several changes. Default: `true`. */
  readonly changesTogether?: boolean;
  readonly accessTokens: AccessTokenStore;
  readonly audit: AuditStore;
  /** The migrations that opening the database applied, in order. Empty if the database was up to date. */
  readonly appliedMigrations: readonly string[];
  /** How many lists can be read at a time. On PostgreSQL, creates need the remaining connections. */
  readonly concurrentLists: number;
  /** How many commits of records can be in flight at a time. */
  readonly concurrentCommits: number;
  /**
   * Checks that the engine would store a record now.
   *
   * @throws {ServiceError} `database_unavailable` if the engine does not respond or is read-only; `database_damaged` once the database was
   * found to be damaged. `/readyz` shows the name of the error as its reason.
   */
  check(): Promise<void>;
  /**
   * Tests that a record of each resource can be stored and committed, without leaving one behind. This costs more than `check`, and detects
   * problems that only a commit encounters, such as a full disk or a missing standby.
   *
   * @throws {ServiceError} as `check` does
   */
  probeCommit(): Promise<void>;
  /** Gives the store a new generation, so that all existing change cursors expire. For use when they may not match the stored records. */
  invalidateCursors(): Promise<void>;
  /** Returns problems that an operator should know about although the database works, as sentences for `/readyz`. */
  warnings?(): readonly string[];
  /** Closes the database. All acknowledged data is already on disk. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Receives events that no request causes. Default: warnings and errors go to standard error. */
  readonly log?: DatabaseLog;
  /** Whether a missing database is an error, instead of being created. For commands that add nothing. Default: `false`. */
  readonly mustExist?: boolean;
  /** The tables to open. Default: the tables of all resources of the API. */
  readonly tables?: readonly Table[] | undefined;
  /** How many days to keep replaced states; 0 for none. Default: forever. */
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

/** Creates the error for requests while the database is unavailable. `cause` is an error from the engine or the operating system. */
export function databaseUnavailable(cause: unknown): ServiceError {
  const message = 'The database is not responding. Try again in 1 second.';
  return new ServiceError('database_unavailable', message, { retryAfterSeconds: 1, cause });
}

export function isDatabaseUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

/**
 * Creates the error for requests once the database was found to be damaged. It has no `Retry-After`, because only the operator can fix
 * this.
 */
export function databaseDamaged(cause: unknown): ServiceError {
  const message = 'The database is damaged. Ask the operator to restore it.';
  return new ServiceError('database_damaged', message, { cause });
}

/** An error from an engine or its driver. A connection error has no code. */
export interface DriverError {
  readonly code?: string;
  readonly message: string;
}

/** How Prisma's driver adapters describe an engine error, which has a code, or a connection error. */
const CauseSchema = z.object({
  kind: z.string().optional(),
  originalCode: z.string().optional(),
  originalMessage: z.string().optional(),
  reason: z.string().optional(),
});

/** Where errors from Prisma's client and its driver adapters contain this description. */
const AdapterErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ name: z.literal('DriverAdapterError'), cause: CauseSchema.optional() }),
]);

/** Finds the engine's error inside a Prisma error. Returns `undefined` for any other error. */
export function findAdapterError(error: unknown): DriverError | undefined {
  const { data } = AdapterErrorSchema.safeParse(error);
  if (data === undefined) return undefined;
  const { originalCode: code, ...cause } = ('meta' in data ? data.meta.driverAdapterError : data).cause ?? {};
  const message = cause.originalMessage ?? cause.reason ?? cause.kind ?? 'the connection broke';
  return { ...(code !== undefined && { code }), message };
}

/**
 * What an engine error means for a request.
 *
 * - `unavailable`: the statement is valid, but the engine cannot run it now, or as it is configured. The reply is 503.
 * - `damaged`: the stored data is damaged, and a retry does not help. The reply is 503, with another error.
 * - `bug`: the statement does not fit the tables or the record. Because the tables are checked at the start, this is a bug in the
 *   service, or the tables were changed since. The queue then retries the batch in halves, so that only the record that causes the error
 *   gets a 500.
 */
export type Meaning = 'unavailable' | 'damaged' | 'bug';

/**
 * Converts an engine error to a `ServiceError`, or for a bug, to an error with the engine's code and message, because Prisma's own message
 * contains only the kind of error.
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
