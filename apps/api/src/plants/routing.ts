/** A part of the store that commits by itself, such as a shard: the plants of one destination can share a commit. */
export type Destination = number;

/** What several destinations share, such as the server that they are on: they fail together. */
export type DestinationGroup = number;

/** Which plants can share a commit, and how many commits may be in flight. */
export interface Routing {
  /**
   * The destination of the plant with this id. It may change, for example when a shard is split; plants that were grouped by
   * an earlier answer are still stored, only more slowly.
   */
  destinationOf(id: bigint): Destination;
  /** How many inserts may be in flight to one destination. */
  readonly insertsPerDestination: number;
  /** How many inserts may be in flight to all destinations together; more than to one if there are several. */
  readonly inserts: number;
  /** Absent if no destinations have more in common with each other than with the rest. */
  readonly groups?: DestinationGroups | undefined;
  /**
   * The fraction of all ids that a destination has, from 0 to 1; 0 of one that does not exist any more. Absent if there is
   * one destination.
   */
  readonly shareOf?: ((destination: Destination) => number) | undefined;
}

/** Which destinations fail together. */
export interface DestinationGroups {
  groupOf(destination: Destination): DestinationGroup;
  /** How many inserts may be in flight to one group: less than to all, so that one that hangs leaves some to the others. */
  readonly insertsPerGroup: number;
  /**
   * How long no insert is sent to a group after one of its inserts has failed, since the database does not answer, in
   * milliseconds. Plants for it are queued meanwhile: as many as wait then share one attempt, so that a group that is away
   * costs the database and the service little, however many requests come for it.
   */
  readonly delayAfterFailureMs: number;
}

/** The routing of a store whose plants can all share a commit. */
export function toOneDestination(inserts: number): Routing {
  return { destinationOf: () => 0, insertsPerDestination: inserts, inserts };
}
