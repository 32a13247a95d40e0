import type { PlantStore } from './plant-store.js';

/** After how long without a success the commits that were tried in it are taken for failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** A store whose commits are watched. */
export interface WatchedCommits {
  readonly insert: PlantStore['insert'];
  /** Whether none has succeeded for a while, though some were tried. */
  areFailing(): boolean;
  /** Notes a commit that succeeded elsewhere. */
  succeeded(): void;
}

/** Watches whether the commits of a store succeed. Only time and success count: those that hang show nothing else. */
export function watchCommits(store: Pick<PlantStore, 'insert'>): WatchedCommits {
  let inFlight = 0;
  /** When the first commit was tried since the last one that succeeded. */
  let triedSince: number | undefined;

  function succeeded(): void {
    triedSince = inFlight > 0 ? performance.now() : undefined;
  }

  return {
    async insert(plants) {
      triedSince ??= performance.now();
      inFlight++;
      try {
        const outcomes = await store.insert(plants);
        inFlight--;
        succeeded();
        return outcomes;
      } catch (error) {
        inFlight--;
        throw error;
      }
    },
    areFailing: () => triedSince !== undefined && performance.now() - triedSince >= failingAfterMs,
    succeeded,
  };
}
