/** A part of the store that commits by itself, such as a shard: the plants of one destination can share a commit. */
export type Destination = number;

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
}

/** The routing of a store whose plants can all share a commit. */
export function toOneDestination(inserts: number): Routing {
  return { destinationOf: () => 0, insertsPerDestination: inserts, inserts };
}
