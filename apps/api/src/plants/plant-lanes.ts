import {
  createPlantQueue,
  type PlantQueue,
  type PlantQueueLimits,
  type QueuedPlant,
  type QueueUsage,
} from './plant-queue.js';
import type { Destination, DestinationGroup, Routing } from './routing.js';

/** The plants for one destination, and how many of its inserts are in flight. */
export interface Lane {
  readonly destination: Destination;
  readonly queue: PlantQueue;
  /** It changes when the destination is moved. */
  group: LaneGroup | undefined;
  inFlight: number;
}

/** A lane for each destination; they share the limits of what is queued. */
interface PlantLanes {
  /** How much all lanes hold. */
  readonly total: Readonly<QueueUsage>;
  /** The lanes that have plants and may have another insert in flight, in the order in which they get it. */
  readonly ready: ReadonlySet<Lane>;
  find(id: bigint): Lane;
  /** The limit that a further plant in the lane would exceed, if any. */
  findOverload(lane: Lane, bytes: number): 'waiting_plants' | 'waiting_bytes' | undefined;
  push(lane: Lane, plant: QueuedPlant): void;
  /** Removes the next batch of a ready lane, whose turn comes again after that of the others. */
  takeBatch(lane: Lane): readonly QueuedPlant[];
  /** Call it when an insert of the lane is no longer in flight, with the error to reject the queued plants with, if any. */
  end(lane: Lane, error: unknown): void;
  /** While one of these has not ended, some lanes wait although no insert may be in flight. */
  readonly delays: ReadonlySet<Promise<void>>;
}

/** @param onReady is called when lanes become ready after a delay */
export function createPlantLanes(
  limits: PlantQueueLimits,
  routing: Routing,
  onReady: () => void,
): PlantLanes {
  const { queuePlants, queueBytes } = limits;
  const lanes = new Map<Destination, Lane>();
  const groups = createLaneGroups(routing, release);
  const ready = new Set<Lane>();
  const total: QueueUsage = { plants: 0, bytes: 0 };

  function addLane(destination: Destination): Lane {
    const lane = { destination, queue: createPlantQueue(limits, total), group: undefined, inFlight: 0 };
    lanes.set(destination, lane);
    return lane;
  }

  function addIfReady(lane: Lane): void {
    if (lane.queue.used.plants === 0 || lane.inFlight >= routing.insertsPerDestination) return;
    if (lane.group?.isFull()) lane.group.hold(lane);
    else ready.add(lane);
  }

  /** Makes lanes ready that have waited for their group. */
  function release(held: readonly Lane[]): void {
    for (const lane of held) addIfReady(lane);
    onReady();
  }

  return {
    total,
    ready,
    delays: groups.delays,
    find(id) {
      const destination = routing.destinationOf(id);
      return lanes.get(destination) ?? addLane(destination);
    },
    /**
     * Where lanes share the limits, one of them may hold as much as all leave free: one that grows, since its destination is
     * slow, always leaves room for the others (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
     * switches", 1998).
     */
    findOverload({ queue: { used } }, bytes) {
      const isShared = routing.inserts > routing.insertsPerDestination;
      if (total.plants + (isShared ? used.plants : 0) >= queuePlants) return 'waiting_plants';
      // A plant of any size is accepted when nothing is queued.
      const queued = total.bytes + (isShared ? used.bytes : 0);
      return total.plants > 0 && queued + bytes > queueBytes ? 'waiting_bytes' : undefined;
    },
    push(lane, plant) {
      if (lane.inFlight === 0 && lane.queue.used.plants === 0) lane.group = groups.find(lane.destination);
      lane.queue.push(plant);
      addIfReady(lane);
    },
    takeBatch(lane) {
      ready.delete(lane);
      const batch = lane.queue.takeBatch();
      if (batch.length > 0) {
        lane.inFlight++;
        lane.group?.begin(ready);
      }
      addIfReady(lane);
      return batch;
    },
    end(lane, error) {
      lane.inFlight--;
      if (error !== undefined) lane.queue.rejectAll(error);
      // Lanes that were held have waited longer than this one.
      lane.group?.end(error !== undefined, ready);
      // Its destination may have been moved while it was busy.
      if (lane.inFlight === 0) lane.group = groups.find(lane.destination);
      addIfReady(lane);
    },
  };
}

/** The lanes of a group of destinations, as far as they have to wait for each other. */
interface LaneGroup {
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
interface LaneGroups {
  /** Returns the group of a destination, or `undefined` where the routing has no groups. */
  find(destination: Destination): LaneGroup | undefined;
  /** The delays after failures that have not ended. */
  readonly delays: ReadonlySet<Promise<void>>;
}

/** @param release is called with lanes that are held no longer, in the order in which they began to wait */
function createLaneGroups(routing: Routing, release: (lanes: readonly Lane[]) => void): LaneGroups {
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
