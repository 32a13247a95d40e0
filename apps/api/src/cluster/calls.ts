import type { Registry } from '@prometheus-io/client';
import type { ClientRateLimitInfo } from 'express-rate-limit';
import type { LimitedVerification } from '../auth/authentication-limit.js';
import { cacheTtlMs } from '../auth/token-service.js';
import type { Config } from '../config.js';
import type { Readiness } from '../observe/readiness.js';
import type { ListedPlants, PlantRecord, PlantStore } from '../plants/plant-store.js';
import type { ListLimits, ListQuery } from '../store/store.js';

/** The descriptor under which a worker has the socket that the service listens on; those before it are Node.js's. */
export const listeningDescriptor = 4;

/**
 * How long a worker knows that a token is valid, and the primary process, in milliseconds: half as long as a service without
 * workers each, so that a revoked token is rejected as soon.
 */
export const tokenTtlMs = cacheTtlMs / 2;

/** The metrics of a process, as they are sent to another one. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What the primary process offers its workers. */
export type PrimaryCalls = {
  /**
   * Stores a batch as `PlantStore.insert` does. Of SQLite only, whose writer is in the primary process.
   *
   * @returns `undefined` if all were stored; otherwise for each record what has its id already, or `null`
   */
  readonly insert: (records: readonly PlantRecord[]) => Promise<readonly (PlantRecord | null)[] | undefined>;
  /** `PlantStore.find`; of SQLite only. */
  readonly find: PlantStore['find'];
  /** `PlantStore.list`; of SQLite only. */
  readonly list: (request: {
    readonly query: ListQuery;
    readonly limits: ListLimits;
  }) => Promise<ListedPlants>;
  /** `Database.check`; of SQLite only. */
  readonly checkDatabase: (argument: null) => Promise<void>;
  /** `Database.probeCommit`; of SQLite only. */
  readonly probeCommit: (argument: null) => Promise<void>;
  /** Verifies a token that was valid before. */
  readonly verifyKnownToken: VerifyToken;
  /** Verifies any other token. */
  readonly verifyToken: VerifyToken;
  /** Counts requests of a caller, as `RequestCounts` does. */
  readonly countRequests: (request: {
    readonly caller: string;
    readonly count: number;
  }) => Promise<ClientRateLimitInfo>;
};

/** Verifies a token within the limit of failures of its client address. */
type VerifyToken = (request: {
  readonly address: string;
  readonly text: string;
}) => LimitedVerification | Promise<LimitedVerification>;

/** What a worker offers the primary process. */
export type WorkerCalls = {
  /**
   * Starts to accept connections.
   *
   * @throws {OperatorError} as `startService` does
   */
  readonly start: (start: WorkerStart) => Promise<void>;
  /**
   * Returns as soon as the worker can, with how many connections it has: one that hangs does not.
   *
   * @param share how many connections each worker has on average
   */
  readonly ping: (share: number) => Promise<number>;
  /** Whether this worker accepts creates. */
  readonly readiness: (argument: null) => Promise<Readiness>;
  /** The metrics of this worker, with `ADMIN_PORT`. */
  readonly metrics: (argument: null) => Promise<MetricValues>;
  /** Closes each connection with its next reply from now on. */
  readonly drain: (argument: null) => void;
  /** Accepts no more connections, and stops once all have ended, each with a reply. */
  readonly retire: (argument: null) => Promise<WorkerEnd>;
  /** Stops as `Service.stop` does. */
  readonly stop: (argument: null) => Promise<WorkerEnd>;
};

/**
 * How long a worker that is replaced keeps connections without a request, in milliseconds: longer than the server keeps any,
 * so that none is closed in the moment in which its client sends a request.
 */
export const retireMs = 90_000;

/** What a worker starts with. */
export interface WorkerStart {
  /** The settings of this worker, with its share of those limits that hold for all workers together. */
  readonly config: Config;
  /** The number of the worker, from 1; one that replaces another has its number. */
  readonly worker: number;
}

/** How a worker has stopped. */
export interface WorkerEnd {
  /** Whether all requests in flight were answered, and the database closed, within the configured time. */
  readonly inTime: boolean;
  /** Its last metrics. */
  readonly metrics: MetricValues;
}
