import type { AccessTokenStore } from '../auth/access-token-store.js';
import type { PlantStore } from '../plants/plant-store.js';

/** What a line of the log holds besides its message. */
export interface LogFields {
  /** What went wrong. */
  readonly err?: Error;
}

/** Where a database logs what happens to it between requests: the part of pino's `Logger` that it needs. */
export interface DatabaseLog {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** An open database of whatever engine. */
export interface Database {
  readonly plants: PlantStore;
  readonly accessTokens: AccessTokenStore;
  /** The migrations that opening it applied, in order; empty when it was up to date. */
  readonly appliedMigrations: readonly string[];
  /**
   * How many inserts may be under way at once and still gain: one where the engine has a single writer.
   */
  readonly concurrentInserts: number;
  /**
   * Asks the engine whether it would store a plant now.
   *
   * @throws {ServiceError} `database_unavailable` when it does not answer, or takes no writes; `database_damaged` once it
   * was found damaged. The name of the error is the reason that `/readyz` shows.
   */
  check(): Promise<void>;
  /**
   * Does all that storing a plant takes, its commit included, and leaves nothing behind. It costs more than `check`, and
   * finds what only a commit does, such as a full disk or a standby that is missing. `check` stands in where it is absent.
   *
   * @throws {ServiceError} as `check` does
   */
  tryCommit?(): Promise<void>;
  /** What an operator should know while the database works: one sentence each, shown by `/readyz`. None when absent. */
  warnings?(): readonly string[];
  /** Closes it; what was acknowledged is on disk already. */
  close(): Promise<void>;
}
