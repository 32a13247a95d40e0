import type { Lane } from './plant-lanes.js';
import type { Destination, DestinationGroup, Routing } from './routing.js';

/** The lanes of a group of destinations, as far as they have to wait for each other. */
export interface LaneGroup {
  /** Whether as many inserts to the group are in flight as may be. */
  isFull(): boolean;
  /** Counts an insert, and holds the ready lanes of the group if no further one may be in flight. */
  begin(ready: Set<Lane>): void;
  /** Holds a lane that would be ready if the group were not full. */
  hold(lane: Lane): void;
  /** Counts the end of an insert, and returns the lanes that were held, in the order in which they began to wait. */
  end(): readonly Lane[];
}

/** Returns the group of a destination, or `undefined` where the routing has no groups. */
export function createLaneGroups(routing: Routing): (destination: Destination) => LaneGroup | undefined {
  const created = new Map<DestinationGroup, LaneGroup>();
  return function findGroup(destination) {
    const { groups } = routing;
    if (groups === undefined) return undefined;
    const key = groups.groupOf(destination);
    const group = created.get(key) ?? createLaneGroup(routing);
    created.set(key, group);
    return group;
  };
}

function createLaneGroup(routing: Routing): LaneGroup {
  const held = new Set<Lane>();
  let inFlight = 0;
  const group: LaneGroup = {
    isFull: () => inFlight >= (routing.groups?.insertsPerGroup ?? routing.inserts),
    begin(ready) {
      inFlight++;
      if (!group.isFull()) return;
      for (const lane of ready) {
        if (lane.group !== group) continue;
        ready.delete(lane);
        held.add(lane);
      }
    },
    hold: (lane) => void held.add(lane),
    end() {
      inFlight--;
      const waiting = [...held];
      held.clear();
      return waiting;
    },
  };
  return group;
}
