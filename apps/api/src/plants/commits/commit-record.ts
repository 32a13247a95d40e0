/** How long commits must by default have been without a success to count as failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** A commit in flight. */
export interface CommitInFlight {
  /** Since when it hangs: its beginning, or the latest success since. */
  since: number;
}

/** Whether the commits to one destination succeed. A commit that hangs counts like one that fails. */
export interface CommitRecord {
  begin(): CommitInFlight;
  /** Records that a commit is over, with neither a success nor a failure of the database. */
  end(commit: CommitInFlight): void;
  fail(commit: CommitInFlight): void;
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
