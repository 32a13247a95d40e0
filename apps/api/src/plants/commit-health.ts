import { ServiceError } from '../errors/service-error.js';
import type { PlantInserter } from './plant-store.js';
import type { Destination, DestinationGroup, Routing } from './routing.js';

/** The least fraction of all ids that a ready service can store. */
const minStorable = 0.5;

/** Shares are fractions, whose sum is not exact. */
const tolerance = 1e-9;

/** What a trial commit inserts, and rolls back. */
export interface CommitTrial {
  /** An id of the destination to try. */
  readonly id: bigint;
  /** What the destination has in common with others: one trial of a group is in flight. */
  readonly group: DestinationGroup;
}

/** What the health of commits depends on. */
interface CommitHealthDependencies {
  readonly commits: Pick<CommitMonitor, 'findFailing' | 'succeeded'>;
  readonly database: {
    check(): Promise<void>;
    /** Tries a commit to the destination of an id; without an id, to the only destination. */
    tryCommit(trial?: CommitTrial): Promise<void>;
  };
  readonly log: {
    info(message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Whether plants can be stored, and of which part of all ids. */
export interface CommitHealth {
  /**
   * Checks that the database would store plants with at least half of all ids, and tries the destinations that fail.
   *
   * @throws {ServiceError} why it would not
   */
  check(): Promise<void>;
  /** A sentence for the operator while plants with some ids cannot be stored. */
  warnings(): readonly string[];
  /** The fraction of all ids whose commits are failing, from 0 to 1. */
  failingShare(): number;
}

/**
 * Watches the commits to all destinations. A service that is not ready gets no creates, so it has to try commits by itself;
 * one that is ready tries those that fail, too, since few creates may come for them.
 */
export function createCommitHealth({ commits, database, log }: CommitHealthDependencies): CommitHealth {
  const tryFailing = createTrials({ commits, database });
  let isDegraded = false;

  function logChange(failing: readonly FailingDestination[]): void {
    if (failing.length > 0 && !isDegraded) {
      const error = failing.find((destination) => destination.error !== undefined)?.error;
      log.warn({ failingShare: shareOf(failing), err: error?.cause ?? error }, 'degraded');
    }
    if (failing.length === 0 && isDegraded) log.info('no longer degraded');
    isDegraded = failing.length > 0;
  }

  return {
    async check() {
      const failing = commits.findFailing();
      if (!isEnough(failing)) return tryFailing(failing);
      logChange(failing);
      // The next check sees the result.
      if (failing.length > 0) tryFailing(failing).catch(() => undefined);
      await database.check();
    },
    warnings() {
      const failing = commits.findFailing();
      return failing.length === 0 ? [] : [describe(failing)];
    },
    failingShare: () => shareOf(commits.findFailing()),
  };
}

/** Creates a function that tries failing destinations, and resolves as soon as enough do not fail any more. */
function createTrials({ commits, database }: Omit<CommitHealthDependencies, 'log'>) {
  /** The trials in progress, by group. */
  const trying = new Map<DestinationGroup, Promise<void>>();

  /** Tries destinations one after the other, until one fails. */
  async function tryGroup(failing: readonly FailingDestination[], onSuccess: () => void): Promise<void> {
    for (const { destination, group, id } of failing) {
      await database.tryCommit(id === undefined ? undefined : { id, group });
      commits.succeeded(destination);
      onSuccess();
    }
  }

  return function tryFailing(failing: readonly FailingDestination[]): Promise<void> {
    // Side by side, since one group may hang.
    const groups = [...Map.groupBy(rotate(failing), ({ group }) => group)];
    return new Promise((resolve, reject) => {
      const resolveIfEnough = () => {
        if (isEnough(commits.findFailing())) resolve();
      };
      const trials = groups.map(([group, members]) => {
        const trial =
          trying.get(group) ?? tryGroup(members, resolveIfEnough).finally(() => trying.delete(group));
        trying.set(group, trial);
        return trial;
      });
      // A trial that began before may have tried fewer.
      const rejectRest = () => reject(new Error('Too many commits are still failing'));
      Promise.all(trials).then(resolveIfEnough).then(rejectRest, reject);
    });
  };
}

function isEnough(failing: readonly FailingDestination[]): boolean {
  return 1 - shareOf(failing) >= minStorable - tolerance;
}

function shareOf(failing: readonly FailingDestination[]): number {
  return failing.reduce((sum, { share }) => sum + share, 0);
}

/** Begins with another one each time: the first one may fail for a reason of its own. */
function rotate<Item>(items: readonly Item[]): readonly Item[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function describe(failing: readonly FailingDestination[]): string {
  const percent = Math.ceil(100 * shareOf(failing) - tolerance);
  return `Plants with ${percent} % of the ids cannot be stored, since a part of the database fails. The line "degraded" of the log has the cause.`;
}

/** A destination whose commits are failing. */
export interface FailingDestination {
  readonly destination: Destination;
  readonly group: DestinationGroup;
  /** The id of the latest plant that was sent to it; `undefined` if the store has one destination. */
  readonly id: bigint | undefined;
  /** The fraction of all ids that it has, from 0 to 1. */
  readonly share: number;
  /** Why the latest commit failed; `undefined` if none has, but they hang. */
  readonly error: ServiceError | undefined;
}

/** Inserts into a store, and which of its destinations are failing. */
export interface CommitMonitor {
  readonly insert: PlantInserter['insert'];
  /** The destinations to which commits were attempted, but none has succeeded for long enough. */
  findFailing(): readonly FailingDestination[];
  /** Records a commit to a destination that succeeded elsewhere. */
  succeeded(destination: Destination): void;
}

/** A destination that plants were sent to. */
interface SeenDestination {
  readonly record: CommitRecord;
  latestId: bigint;
  error: ServiceError | undefined;
}

/**
 * Monitors whether the commits to each destination of a store succeed. A commit that hangs counts like one that fails with
 * a `ServiceError`: the database does not answer, or is damaged. Any other error means that the database has answered and
 * rejected a plant, which is neither a success nor a failure of the database.
 *
 * @param afterMs how long commits must have been without a success to count as failing, in milliseconds
 */
export function createCommitMonitor(
  store: PlantInserter,
  routing: Routing,
  afterMs = failingAfterMs,
): CommitMonitor {
  const seen = new Map<Destination, SeenDestination>();

  /** Notes that a plant with this id is sent to its destination. */
  function see(id: bigint): SeenDestination {
    const destination = routing.destinationOf(id);
    let found = seen.get(destination);
    if (found === undefined) {
      found = { record: createCommitRecord(afterMs), latestId: id, error: undefined };
      seen.set(destination, found);
    }
    found.latestId = id;
    return found;
  }

  return {
    async insert(plants) {
      const [first] = plants;
      if (first === undefined) return store.insert(plants);
      // The batcher groups plants by destination.
      const destination = see(first.id);
      const { record } = destination;
      const commit = record.begin();
      try {
        const outcomes = await store.insert(plants);
        record.end(commit);
        record.succeeded();
        return outcomes;
      } catch (error) {
        if (!(error instanceof ServiceError)) record.end(commit);
        else {
          record.fail(commit);
          destination.error = error;
        }
        throw error;
      }
    },
    findFailing() {
      const failing = [...seen].filter(([, { record }]) => record.isFailing());
      return failing.map(([destination, { latestId, error }]) => ({
        destination,
        group: routing.groups?.groupOf(destination) ?? 0,
        id: routing.shareOf && latestId,
        share: routing.shareOf?.(destination) ?? 1,
        error,
      }));
    },
    succeeded: (destination) => seen.get(destination)?.record.succeeded(),
  };
}

/** How long commits must by default have been without a success to count as failing, in milliseconds. */
export const failingAfterMs = 3_000;

/** A commit in flight. */
interface CommitInFlight {
  /** Since when it hangs: its beginning, or the latest success since. */
  since: number;
}

/** Whether the commits to one destination succeed. A commit that hangs counts like one that fails. */
interface CommitRecord {
  begin(): CommitInFlight;
  /** Records that a commit is over, with neither a success nor a failure of the database. */
  end(commit: CommitInFlight): void;
  fail(commit: CommitInFlight): void;
  succeeded(): void;
  /** Whether commits were attempted, but none has succeeded for long enough. */
  isFailing(): boolean;
}

/** @param afterMs how long commits must have been without a success to count as failing, in milliseconds */
function createCommitRecord(afterMs: number): CommitRecord {
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
