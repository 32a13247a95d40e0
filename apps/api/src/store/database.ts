import type { Registry } from 'prom-client';
import type { AccessTokenStore } from '../auth/access-token-store.js';
import type { CommitTrial } from '../plants/commit-health.js';
import type { PlantStore } from '../plants/plant-store.js';
import type { Routing } from '../plants/routing.js';

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

/** An open database, on any engine. */
export interface Database {
  readonly plants: PlantStore;
  readonly accessTokens: AccessTokenStore;
  /** The migrations that were applied when it was opened, in order; empty if it was up to date. */
  readonly appliedMigrations: readonly string[];
  /** Which plants share a commit, and how many concurrent inserts make the most of the engine: 1 where it has one writer. */
  readonly routing: Routing;
  /**
   * Checks that the engine would store a plant now.
   *
   * @throws {ServiceError} `database_unavailable` when it does not answer, or is read-only; `database_damaged` once it
   * was found damaged. `/readyz` shows the name of the error as its reason.
   */
  check(): Promise<void>;
  /**
   * Tests that a plant can be stored and committed, without leaving one behind. It costs more than `check`, and finds
   * problems that only a commit meets, such as a full disk or a missing standby.
   *
   * @param trial which destination of a store that has several
   * @throws {ServiceError} as `check` does
   */
  tryCommit(trial?: CommitTrial): Promise<void>;
  /** Problems that an operator should know of while the database works: a sentence each, shown by `/readyz`. */
  warnings?(): readonly string[];
  /** Closes it. Everything acknowledged is on disk already. */
  close(): Promise<void>;
}

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** Receives events between requests; by default warnings and errors go to standard error. */
  readonly log?: DatabaseLog;
  /** For commands that add nothing: a database that is missing is an error, and not created. Default: `false`. */
  readonly mustExist?: boolean;
  /** Where the engine registers its metrics; by default it has none. */
  readonly metrics?: Registry | undefined;
}

/**
 * The log of commands, which have none of their own: warnings and errors become process warnings, on standard error.
 */
export const processWarnings: DatabaseLog = {
  info: () => undefined,
  warn: emitWarning,
  error: emitWarning,
};

function emitWarning({ err }: LogFields, message: string): void {
  process.emitWarning(err === undefined ? message : `${message}: ${err.message}`);
}
