import type { DestinationGroup } from '../routing.js';
import type { CommitMonitor, FailingDestination } from './commit-monitor.js';

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
export interface CommitHealthDependencies {
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
