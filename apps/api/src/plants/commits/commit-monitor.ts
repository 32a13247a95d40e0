import { ServiceError } from '../../errors/service-error.js';
import type { PlantInserter } from '../plant-store.js';

/** How long commits must have been without a success to count as failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** Inserts into a store, and whether its commits are failing. */
export interface CommitMonitor {
  readonly insert: PlantInserter['insert'];
  /** Whether commits were attempted, but none has succeeded for `failingAfterMs`. */
  areFailing(): boolean;
  /** Records a commit that succeeded elsewhere. */
  succeeded(): void;
}

/**
 * Monitors whether the commits of a store succeed. A commit that hangs counts like one that fails with a
 * `ServiceError`: the database does not answer, or is damaged. Any other error means that the database has answered and
 * rejected a plant, which is neither a success nor a failure of the database.
 */
export function createCommitMonitor(store: PlantInserter): CommitMonitor {
  const inFlight = new Set<{ since: number }>();
  /** When the first commit began that has failed since the last success. */
  let failedSince = Number.POSITIVE_INFINITY;

  function succeeded(): void {
    failedSince = Number.POSITIVE_INFINITY;
    for (const commit of inFlight) commit.since = performance.now();
  }

  return {
    async insert(plants) {
      const commit = { since: performance.now() };
      inFlight.add(commit);
      try {
        const outcomes = await store.insert(plants);
        inFlight.delete(commit);
        succeeded();
        return outcomes;
      } catch (error) {
        inFlight.delete(commit);
        if (error instanceof ServiceError) failedSince = Math.min(failedSince, commit.since);
        throw error;
      }
    },
    areFailing() {
      const since = Math.min(failedSince, ...[...inFlight].map((commit) => commit.since));
      return performance.now() - since >= failingAfterMs;
    },
    succeeded,
  };
}
