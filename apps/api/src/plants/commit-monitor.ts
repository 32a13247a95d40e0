import { ServiceError } from '../errors/service-error.js';
import type { PlantStore } from './plant-store.js';

/** After how long without a success the commits that were tried in it are taken for failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** A store whose commits are watched. */
export interface CommitMonitor {
  readonly insert: PlantStore['insert'];
  /** Whether none has succeeded for a while, though some were tried. */
  areFailing(): boolean;
  /** Notes a commit that succeeded elsewhere. */
  succeeded(): void;
}

/**
 * Watches whether the commits of a store succeed. Those that hang count as those that fail with an error of the registry:
 * the database does not answer, or is damaged. With any other error it has answered and refused a plant, which shows
 * neither.
 */
export function createCommitMonitor(store: Pick<PlantStore, 'insert'>): CommitMonitor {
  const inFlight = new Set<{ since: number }>();
  /** When the first commit was tried that has failed since the last one that succeeded. */
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
