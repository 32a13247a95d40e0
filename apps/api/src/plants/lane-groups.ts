import type { Lane } from './plant-lanes.js';
import type { Destination, DestinationGroup, Routing } from './routing.js';

/** The lanes of a group of destinations, as far as they have to wait for each other. */
export interface LaneGroup {
  /** Whether no further insert to the group may be in flight: as many are as may be, or one has failed just now. */
  isFull(): boolean;
  /** Counts an insert, and holds the ready lanes of the group if no further one may be in flight. */
  begin(ready: Set<Lane>): void;
  /** Holds a lane that would be ready if the group were not full. */
  hold(lane: Lane): void;
  /** Counts the end of an insert, and releases the lanes that were held: at once, or some time after a failure. */
  end(hasFailed: boolean, ready: Set<Lane>): void;
}

/** The groups of the destinations of a routing. */
export interface LaneGroups {
  /** Returns the group of a destination, or `undefined` where the routing has no groups. */
  find(destination: Destination): LaneGroup | undefined;
  /** The delays after failures that have not ended. */
  readonly delays: ReadonlySet<Promise<void>>;
}

/** @param release is called with lanes that are held no longer, in the order in which they began to wait */
export function createLaneGroups(routing: Routing, release: (lanes: readonly Lane[]) => void): LaneGroups {
  const created = new Map<DestinationGroup, LaneGroup>();
  const delays = new Set<Promise<void>>();
  return {
    delays,
    find(destination) {
      const { groups } = routing;
      if (groups === undefined) return undefined;
      const key = groups.groupOf(destination);
      const group = created.get(key) ?? createLaneGroup(routing, release, delays);
      created.set(key, group);
      return group;
    },
  };
}

function createLaneGroup(
  routing: Routing,
  release: (lanes: readonly Lane[]) => void,
  delays: Set<Promise<void>>,
): LaneGroup {
  const held = new Set<Lane>();
  let inFlight = 0;
  /** That after the latest failure. */
  let delay: Promise<void> | undefined;

  const isFull = () =>
    delay !== undefined || inFlight >= (routing.groups?.insertsPerGroup ?? routing.inserts);

  function holdIfFull(ready: Set<Lane>): void {
    if (!isFull()) return;
    for (const lane of ready) {
      if (lane.group !== group) continue;
      ready.delete(lane);
      held.add(lane);
    }
  }

  function releaseHeld(): void {
    const lanes = [...held];
    held.clear();
    release(lanes);
  }

  function beginDelay(): void {
    const waited = new Promise((resolve) => setTimeout(resolve, routing.groups?.delayAfterFailureMs));
    const current = waited.then(() => {
      delays.delete(current);
      if (delay !== current) return;
      delay = undefined;
      releaseHeld();
    });
    delay = current;
    delays.add(current);
  }

  const group: LaneGroup = {
    isFull,
    begin(ready) {
      inFlight++;
      holdIfFull(ready);
    },
    hold: (lane) => void held.add(lane),
    end(hasFailed, ready) {
      inFlight--;
      if (hasFailed) beginDelay();
      if (delay === undefined) releaseHeld();
      else holdIfFull(ready);
    },
  };
  return group;
}
