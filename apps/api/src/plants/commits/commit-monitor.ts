import { ServiceError } from '../../errors/service-error.js';
import type { PlantInserter } from '../plant-store.js';
import type { Destination, DestinationGroup, Routing } from '../routing.js';
import { type CommitRecord, createCommitRecord, failingAfterMs } from './commit-record.js';

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
