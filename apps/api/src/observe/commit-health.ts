import { ServiceError } from '@plant-store/records';
import { Histogram, type Registry } from '@prometheus-io/client';
import { shareInFlight } from '../runtime/timing.js';
import { createCounter } from './metrics.js';

/** The default time without a successful commit after which commits count as failing, in milliseconds. */
export const failingAfterMs: number = 3_000;

export interface CommitInFlight {
  readonly begunAt: number;
  /** When the commit began, or when another commit last succeeded since then. */
  since: number;
}

export interface CheckedDatabase {
  /** Checks that the database responds and accepts writes. */
  check(): Promise<void>;
  /** Tests whether a commit succeeds, without storing a record. */
  probeCommit(): Promise<void>;
}

export type CommitRecord = ReturnType<typeof createCommitRecord>;

/** Creates a record of commits and whether they succeed. A commit that hangs counts as failed. */
export function createCommitRecord(database: CheckedDatabase, afterMs: number, metrics?: Registry) {
  const inFlight = new Set<CommitInFlight>();
  const measures = metrics && measureCommits(metrics);
  /** When the first commit that has failed since the last success began. */
  let failedSince = Number.POSITIVE_INFINITY;
  const probe = shareInFlight(() => database.probeCommit().then(succeeded));

  function succeeded(): void {
    failedSince = Number.POSITIVE_INFINITY;
    for (const commit of inFlight) commit.since = performance.now();
  }

  /** Whether commits were attempted, but none has succeeded for `afterMs`. */
  function isFailing(): boolean {
    const since = Math.min(failedSince, ...[...inFlight].map((commit) => commit.since));
    return performance.now() - since >= afterMs;
  }

  return {
    /**
     * Records that a commit begins.
     *
     * @param size the number of records in the commit
     */
    begin(size: number): CommitInFlight {
      const begunAt = performance.now();
      const commit = { begunAt, since: begunAt };
      inFlight.add(commit);
      measures?.sizes.observe(size);
      return commit;
    },
    /**
     * Records that a commit has ended.
     *
     * @param error why the commit failed, if it failed. A `ServiceError` means that the database does not respond or is damaged. Any other
     * error means that the database responded and rejected a record, which is neither a success nor a failure of the database
     */
    end(commit: CommitInFlight, error?: unknown): void {
      inFlight.delete(commit);
      if (error === undefined) {
        measures?.durations.observe((performance.now() - commit.begunAt) / 1_000);
        succeeded();
        return;
      }
      const isDatabaseError = error instanceof ServiceError;
      if (isDatabaseError) failedSince = Math.min(failedSince, commit.since);
      measures?.countFailure(isDatabaseError ? error.errorName : 'internal_error');
    },
    /**
     * Checks that the database would store a record now. While commits fail, the service gets no creates, so this function probes a commit.
     *
     * @throws {ServiceError} if the database would not store a record
     */
    check: async (): Promise<void> => (isFailing() ? probe() : database.check()),
  };
}

/** Creates the commit metrics: how many records each commit has, how long it takes, and why it fails. */
function measureCommits(registry: Registry) {
  const registers = [registry];
  return {
    countFailure: createCounter(registry, {
      name: 'plant_store_commit_failures_total',
      help: 'Failed commits, by error name',
      labelName: 'error',
      initial: ['database_unavailable', 'database_damaged', 'internal_error'],
    }),
    sizes: new Histogram({
      name: 'plant_store_commit_plants',
      help: 'Records per commit',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
      registers,
    }),
    durations: new Histogram({
      name: 'plant_store_commit_duration_seconds',
      help: 'Duration of a successful commit, from sending the statement until the data is on disk',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
}
