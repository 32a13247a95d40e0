import type { ActiveCallers } from '../../../runtime/active-callers.js';
import {
  type BatchLimits,
  type BatchQueue,
  type BatchQueues,
  createBatchQueue,
  QueueTotal,
} from '../../batcher.js';

/** A shard, which commits by itself: its plants can share a commit. */
export type Shard = number;

/** A node, whose shards fail together. */
export type Node = number;

/** Which plants can share a commit, and how many commits may be in flight. */
export interface ShardRouting {
  /**
   * The shard of the plant with this id. It may change, for example when a shard is split; plants that were grouped by an
   * earlier answer are still stored, only more slowly.
   */
  shardOf(id: bigint): Shard;
  /** How many inserts may be in flight to one shard. */
  readonly insertsPerShard: number;
  /** How many inserts may be in flight to all shards together. */
  readonly inserts: number;
  /** Absent while the table is not distributed. */
  readonly nodes?: NodeRouting | undefined;
  /** The fraction of all ids that a shard has, from 0 to 1; 0 of one that does not exist any more. Absent like `nodes`. */
  readonly shareOf?: ((shard: Shard) => number) | undefined;
}

/** Which shards fail together. */
interface NodeRouting {
  nodeOf(shard: Shard): Node;
  /** How many inserts may be in flight to one node: less than to all, so that one that hangs leaves some to the others. */
  readonly insertsPerNode: number;
  /**
   * How long no insert is sent to a node after one of its inserts has failed, since it does not answer, in milliseconds.
   * Plants for it are queued meanwhile: as many as wait then share one attempt, so that a node that is away costs the database
   * and the service little, however many requests come for it.
   */
  readonly delayAfterFailureMs: number;
}

/** The plants for one shard, and how many of its inserts are in flight. */
interface ShardQueue {
  readonly shard: Shard;
  readonly waiting: BatchQueue;
  /** It changes when the shard is moved. */
  node: NodeQueue | undefined;
  inFlight: number;
}

/**
 * A queue for each shard; they share the limits of what is queued.
 *
 * @param onReady is called when queues become ready after a delay
 */
export function createShardQueues(
  limits: BatchLimits,
  routing: ShardRouting,
  callers: Pick<ActiveCallers, 'count'>,
  onReady: () => void,
): BatchQueues {
  const { queuePlants, queueBytes } = limits;
  const queues = new Map<Shard, ShardQueue>();
  const nodes = createNodeQueues(routing, release);
  const ready = new Set<ShardQueue>();
  const total = new QueueTotal(limits, callers);

  function add(shard: Shard): ShardQueue {
    const queue = { shard, waiting: createBatchQueue(limits, total), node: undefined, inFlight: 0 };
    queues.set(shard, queue);
    return queue;
  }

  function addIfReady(queue: ShardQueue): void {
    if (queue.waiting.used.plants === 0 || queue.inFlight >= routing.insertsPerShard) return;
    if (queue.node?.isFull()) queue.node.hold(queue);
    else ready.add(queue);
  }

  /** Makes queues ready that have waited for their node. */
  function release(held: readonly ShardQueue[]): void {
    for (const queue of held) addIfReady(queue);
    onReady();
  }

  return {
    total,
    ready,
    delays: nodes.delays,
    get inserts() {
      return routing.inserts;
    },
    of(id) {
      const shard = routing.shardOf(id);
      return queues.get(shard) ?? add(shard);
    },
    /**
     * Where queues share the limits, one of them may hold as much as all leave free: one that grows, since its shard is slow,
     * always leaves room for the others (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
     * switches", 1998).
     */
    findOverload({ waiting: { used } }, bytes) {
      const isShared = routing.inserts > routing.insertsPerShard;
      if (total.plants + (isShared ? used.plants : 0) >= queuePlants) return 'waiting_plants';
      // A plant of any size is accepted when nothing is queued.
      const queued = total.bytes + (isShared ? used.bytes : 0);
      return total.plants > 0 && queued + bytes > queueBytes ? 'waiting_bytes' : undefined;
    },
    push(queue: ShardQueue, write) {
      if (queue.inFlight === 0 && queue.waiting.used.plants === 0) queue.node = nodes.of(queue.shard);
      queue.waiting.push(write);
      addIfReady(queue);
    },
    takeBatch(queue: ShardQueue) {
      ready.delete(queue);
      const batch = queue.waiting.takeBatch();
      if (batch.length > 0) {
        queue.inFlight++;
        queue.node?.begin(ready);
      }
      addIfReady(queue);
      return batch;
    },
    end(queue: ShardQueue, outage) {
      queue.inFlight--;
      if (outage !== undefined) queue.waiting.rejectAll(outage);
      // Queues that were held have waited longer than this one.
      queue.node?.end(outage !== undefined, ready);
      // Its shard may have been moved while it was busy.
      if (queue.inFlight === 0) queue.node = nodes.of(queue.shard);
      addIfReady(queue);
    },
  };
}

/** The queues of the shards of a node, as far as they have to wait for each other. */
interface NodeQueue {
  /** Whether no further insert to the node may be in flight: as many are as may be, or one has failed just now. */
  isFull(): boolean;
  /** Counts an insert, and holds the ready queues of the node if no further one may be in flight. */
  begin(ready: Set<ShardQueue>): void;
  /** Holds a queue that would be ready if the node were not full. */
  hold(queue: ShardQueue): void;
  /** Counts the end of an insert, and releases the queues that were held: at once, or some time after a failure. */
  end(hasFailed: boolean, ready: Set<ShardQueue>): void;
}

/** @param release is called with queues that are held no longer, in the order in which they began to wait */
function createNodeQueues(routing: ShardRouting, release: (queues: readonly ShardQueue[]) => void) {
  const created = new Map<Node, NodeQueue>();
  /** The delays after failures that have not ended. */
  const delays = new Set<Promise<void>>();
  return {
    delays,
    of(shard: Shard): NodeQueue | undefined {
      if (routing.nodes === undefined) return undefined;
      const key = routing.nodes.nodeOf(shard);
      const node = created.get(key) ?? createNodeQueue(routing, release, delays);
      created.set(key, node);
      return node;
    },
  };
}

function createNodeQueue(
  routing: ShardRouting,
  release: (queues: readonly ShardQueue[]) => void,
  delays: Set<Promise<void>>,
): NodeQueue {
  const held = new Set<ShardQueue>();
  let inFlight = 0;
  /** That after the latest failure. */
  let delay: Promise<void> | undefined;

  const isFull = () => delay !== undefined || inFlight >= (routing.nodes?.insertsPerNode ?? routing.inserts);

  function holdIfFull(ready: Set<ShardQueue>): void {
    if (!isFull()) return;
    for (const queue of ready) {
      if (queue.node !== node) continue;
      ready.delete(queue);
      held.add(queue);
    }
  }

  function releaseHeld(): void {
    const queues = [...held];
    held.clear();
    release(queues);
  }

  function beginDelay(): void {
    const waited = new Promise((resolve) => setTimeout(resolve, routing.nodes?.delayAfterFailureMs));
    const current = waited.then(() => {
      delays.delete(current);
      if (delay !== current) return;
      delay = undefined;
      releaseHeld();
    });
    delay = current;
    delays.add(current);
  }

  const node: NodeQueue = {
    isFull,
    begin(ready) {
      inFlight++;
      holdIfFull(ready);
    },
    hold: (queue) => void held.add(queue),
    end(hasFailed, ready) {
      inFlight--;
      if (hasFailed) beginDelay();
      if (delay === undefined) releaseHeld();
      else holdIfFull(ready);
    },
  };
  return node;
}
