import { ServiceError } from '../errors/service-error.js';
import type { PlantStore } from '../plants/plant-store.js';

/** How long commits must by default have been without a success to count as failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** Whether plants can be stored, and of which part of all ids. */
export interface CommitHealth {
  /**
   * Checks that the database would store plants with at least half of all ids.
   *
   * @throws {ServiceError} why it would not
   */
  check(): Promise<void>;
  /** A sentence for the operator while plants with some ids cannot be stored. */
  warnings(): readonly string[];
  /** The fraction of all ids whose commits are failing, from 0 to 1. */
  failingShare(): number;
}

/** How a database is asked whether it would store plants. */
export interface CheckedDatabase {
  /** Checks that it answers, and accepts writes. */
  check(): Promise<void>;
  /** Inserts a plant, rolls back, and commits. */
  probeCommit(): Promise<void>;
}

/** The health of commits that all go the same way. While they are failing a service gets no creates, so commits are probed. */
export function createCommitHealth(commits: CommitRecord, database: CheckedDatabase): CommitHealth {
  let probing: Promise<void> | undefined;

  async function probe(): Promise<void> {
    await database.probeCommit();
    commits.succeeded();
  }

  return {
    async check() {
      if (!commits.isFailing()) return database.check();
      probing ??= probe().finally(() => {
        probing = undefined;
      });
      return probing;
    },
    warnings: () => [],
    failingShare: () => (commits.isFailing() ? 1 : 0),
  };
}

/** A commit in flight. */
export interface CommitInFlight {
  /** Since when it hangs: its beginning, or the latest success since. */
  since: number;
}

/** Whether commits succeed. A commit that hangs counts like one that fails. */
export interface CommitRecord {
  begin(): CommitInFlight;
  /** Records that a commit is over, with neither a success nor a failure of the database. */
  end(commit: CommitInFlight): void;
  fail(commit: CommitInFlight): void;
  /** Records a success, here or elsewhere. */
  succeeded(): void;
  /** Whether commits were attempted, but none has succeeded for long enough. */
  isFailing(): boolean;
}

/** @param afterMs how long commits must have been without a success to count as failing, in milliseconds */
export function createCommitRecord(afterMs: number): CommitRecord {
  const inFlight = new Set<CommitInFlight>();
  /** When the first commit began that has failed since the last success. */
  let failedSince = Number.POSITIVE_INFINITY;
  return {
    begin() {
      const commit = { since: performance.now() };
      inFlight.add(commit);
      return commit;
    },
    end: (commit) => void inFlight.delete(commit),
    fail(commit) {
      inFlight.delete(commit);
      failedSince = Math.min(failedSince, commit.since);
    },
    succeeded() {
      failedSince = Number.POSITIVE_INFINITY;
      for (const commit of inFlight) commit.since = performance.now();
    },
    isFailing() {
      const since = Math.min(failedSince, ...[...inFlight].map((commit) => commit.since));
      return performance.now() - since >= afterMs;
    },
  };
}

/**
 * Records a commit. A `ServiceError` means that the database does not answer, or is damaged; any other one that it has answered
 * and rejected a plant, which is neither a success nor a failure of the database.
 *
 * @param onFailure called with a `ServiceError`
 */
export async function recordCommit(
  record: CommitRecord,
  commit: () => ReturnType<PlantStore['insert']>,
  onFailure?: (error: ServiceError) => void,
): ReturnType<PlantStore['insert']> {
  const begun = record.begin();
  try {
    const outcomes = await commit();
    record.end(begun);
    record.succeeded();
    return outcomes;
  } catch (error) {
    if (error instanceof ServiceError) {
      record.fail(begun);
      onFailure?.(error);
    } else record.end(begun);
    throw error;
  }
}
