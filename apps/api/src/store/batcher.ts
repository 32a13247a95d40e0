import { plantFieldNames } from '@plant-store/contract/fields';
import type { Registry } from '@prometheus-io/client';
import { overloadErrors, ServiceError } from '../errors/service-error.js';
import {
  type CheckedDatabase,
  type CommitHealth,
  createCommitHealth,
  createCommitRecord,
  recordCommit,
} from '../observe/commit-health.js';
import { measureInserts } from '../observe/metrics.js';
import type { PlantOutcome, PlantRecord, PlantStore, PlantWriter } from '../plants/plant-store.js';
import { ActiveCallers } from '../runtime/active-callers.js';
import { type Budget, type Caller, createBudget } from '../runtime/budget.js';
import { BusyShare } from '../runtime/busy-share.js';
import { FairQueue } from '../runtime/fair-queue.js';
import { isTombstone } from './store.js';

/** How the plants of requests are stored. */
export interface WriterOptions {
  readonly limits: BatchLimits;
  /** Who shares the time with them. */
  readonly callers: Pick<ActiveCallers, 'count'>;
  /** How long commits must have been without a success to count as failing, in milliseconds. */
  readonly failingAfterMs: number;
}

/** What stores the plants of requests, and whether its commits succeed. */
export interface OpenWriter {
  readonly plants: Batcher;
  readonly health: CommitHealth;
}

/** A store whose plants can all share a commit. */
interface SingleTable extends CheckedDatabase {
  readonly insert: PlantStore['insert'];
  /** How many inserts may be in flight. */
  readonly inserts: number;
  /** Where commits are measured; without one they are not. */
  readonly metrics?: Registry | undefined;
  /** Makes of a measured insert one that may refuse some plants alone. */
  readonly divide?: ((insert: PlantStore['insert']) => BatchInsert) | undefined;
}

/** Opens the writer of a store: a queue, whose batches are recorded for the health of commits, measured, and inserted. */
export function openWriter(
  store: SingleTable,
  { limits, callers, failingAfterMs }: WriterOptions,
): OpenWriter {
  const { insert, inserts, metrics, divide = (insert: PlantStore['insert']) => insert } = store;
  const commits = createCommitRecord(failingAfterMs);
  const measured = metrics === undefined ? insert : measureInserts({ insert }, metrics).insert;
  const plants = createBatcher(
    divide((batch) => recordCommit(commits, () => measured(batch))),
    limits,
    () => createSingleQueue(limits, inserts, callers),
  );
  return { plants, health: createCommitHealth(commits, store) };
}

/** How much may be queued, and how much one batch may hold. Bytes are those of the texts, in UTF-8. */
export interface BatchLimits {
  readonly queuePlants: number;
  readonly queueBytes: number;
  readonly batchPlants: number;
  readonly batchBytes: number;
}

/** Stores a batch as `Store.insert` does. Of a database with several parts it may refuse some plants alone. */
export type BatchInsert = (
  records: readonly PlantRecord[],
) => Promise<readonly (PlantOutcome | ServiceError)[]>;

/** A writer that stores plants in batches. */
export type Batcher = PlantWriter;

/**
 * Groups concurrent creates into commits: plants that arrive together are stored together, one commit per batch (group commit).
 * A single request does not wait for others: it is flushed in the turn of the event loop in which it arrives. A full batch is
 * flushed immediately, rather than rejecting the plants that follow.
 *
 * @param createQueues creates what batches are taken from: one queue, with one insert in flight, by default. It gets a function
 *   to call when queues become ready by themselves.
 */
export function createBatcher(
  insert: BatchInsert,
  limits: BatchLimits,
  createQueues: (onReady: () => void) => BatchQueues = () =>
    createSingleQueue(limits, 1, new ActiveCallers()),
): Batcher {
  const queues = createQueues(scheduleFlush);
  const { total, ready } = queues;
  const inFlight = new Set<Promise<void>>();
  const waiting = new BusyShare();
  let scheduledFlush: NodeJS.Immediate | undefined;

  /** Schedules a flush if a queue is ready and another insert may be in flight. */
  function scheduleFlush(): void {
    if (scheduledFlush === undefined && ready.size > 0 && inFlight.size < queues.inserts) flushAfterTurn();
  }

  /** Flushes at the end of this turn of the event loop, or of the first one that brings no further plants. */
  function flushAfterTurn(): void {
    const { plants } = total;
    scheduledFlush = setImmediate(() => {
      if (total.plants > plants) flushAfterTurn();
      else flush();
    });
  }

  /** Inserts a batch of each queue that is ready, as long as another insert may be in flight. */
  function flush(): void {
    clearImmediate(scheduledFlush);
    scheduledFlush = undefined;
    for (const queue of [...ready]) {
      // The insert of another queue may have made it wait.
      if (inFlight.size < queues.inserts && ready.has(queue)) insertFrom(queue);
    }
    // Plants that did not fit into these batches need not wait until they are stored.
    scheduleFlush();
  }

  function insertFrom(queue: ReadyQueue): void {
    const batch = queues.takeBatch(queue);
    // The queue may have been rejected since it was ready.
    if (batch.length === 0) return;
    const inserted = insertBatch(insert, batch).then((outage) => {
      inFlight.delete(inserted);
      // Those that are queued have waited for a database that does not answer; they should not wait as long again.
      queues.end(queue, outage);
      if (inFlight.size === 0 && total.plants === 0) waiting.end();
      scheduleFlush();
    });
    inFlight.add(inserted);
  }

  /** The limit that a further plant in the queue would exceed, if any. */
  function findOverload(queue: ReadyQueue, bytes: number, caller: Caller) {
    return total.findOverload(caller, bytes) ?? queues.findOverload?.(queue, bytes);
  }

  function push(queue: ReadyQueue, write: QueuedWrite): void {
    queues.push(queue, write);
    waiting.begin();
    scheduleFlush();
    if (scheduledFlush !== undefined && queue.waiting.hasFullBatch()) flush();
  }

  return {
    waitingShare: () => waiting.value(),
    isFull: (caller) => total.findOverload(caller, 0) === 'waiting_plants',
    queued: () => ({ plants: total.plants, bytes: total.bytes }),
    write(plant, caller) {
      const bytes = bytesOf(plant);
      const queue = queues.of(plant.id);
      let overload = findOverload(queue, bytes, caller);
      if (overload !== undefined && scheduledFlush !== undefined) {
        flush();
        overload = findOverload(queue, bytes, caller);
      }
      if (overload !== undefined) return Promise.reject(overloadErrors[overload]);
      return new Promise((resolve, reject) => {
        const resolveOne = ([outcome]: readonly PlantOutcome[]) => outcome && resolve(outcome);
        push(queue, { plants: [plant], caller, bytes, resolve: resolveOne, reject });
      });
    },
    async idle() {
      while (inFlight.size > 0 || scheduledFlush !== undefined || total.plants > 0) {
        await Promise.all([...inFlight, ...queues.delays]);
        if (scheduledFlush !== undefined) await new Promise(setImmediate);
      }
    },
  };
}

/**
 * Inserts a batch and resolves or rejects each of its writes. When the insert fails because of a plant, each half of the batch
 * is inserted separately, so that only the write of that plant is rejected.
 *
 * @returns the error that some or all writes were rejected with because the store is unavailable, if it is
 */
async function insertBatch(
  insert: BatchInsert,
  batch: readonly QueuedWrite[],
): Promise<ServiceError | undefined> {
  try {
    const outcomes = await insert(batch.flatMap(({ plants }) => plants));
    let start = 0;
    for (const { plants, resolve, reject } of batch) {
      const own = outcomes.slice(start, start + plants.length);
      const ofStore = own.flatMap((outcome) => (outcome instanceof ServiceError ? [] : outcome));
      if (own.length < plants.length) reject(new Error('The store returned no outcome for the plant'));
      else if (ofStore.length === own.length) resolve(ofStore);
      else reject(own.find((outcome) => outcome instanceof ServiceError));
      start += plants.length;
    }
    return undefined;
  } catch (error) {
    if (batch.length === 1 || error instanceof ServiceError) {
      rejectAll(batch, error);
      return error instanceof ServiceError ? error : undefined;
    }
    const middle = Math.ceil(batch.length / 2);
    const outage = await insertBatch(insert, batch.slice(0, middle));
    if (outage === undefined) return insertBatch(insert, batch.slice(middle));
    rejectAll(batch.slice(middle), outage);
    return outage;
  }
}

function rejectAll(writes: readonly QueuedWrite[], error: unknown): void {
  for (const { reject } of writes) reject(error);
}

/** Plants that are stored together, with the callbacks of the promise that awaits it. */
interface QueuedWrite {
  readonly plants: readonly PlantRecord[];
  readonly caller: Caller;
  readonly bytes: number;
  resolve(outcomes: readonly PlantOutcome[]): void;
  reject(error: unknown): void;
}

function bytesOf(record: PlantRecord): number {
  if (isTombstone(record)) return 0;
  let bytes = 0;
  for (const name of plantFieldNames) bytes += Buffer.byteLength(record[name] ?? '');
  return bytes;
}

/** How much a queue holds. */
interface QueueUsage {
  plants: number;
  bytes: number;
}

/** How much all queues hold, and of whom. */
class QueueTotal implements Readonly<QueueUsage> {
  readonly #plants: Budget;
  readonly #bytes: Budget;
  readonly #callers: Pick<ActiveCallers, 'count'>;

  constructor({ queuePlants, queueBytes }: BatchLimits, callers: Pick<ActiveCallers, 'count'>) {
    this.#callers = callers;
    this.#plants = createBudget(queuePlants);
    this.#bytes = createBudget(queueBytes);
  }

  get plants(): number {
    return this.#plants.held;
  }

  get bytes(): number {
    return this.#bytes.held;
  }

  /** The limit that a further plant of a caller would exceed, if any. */
  findOverload(caller: Caller, bytes: number): 'waiting_plants' | 'waiting_bytes' | undefined {
    if (!this.#plants.hasRoom(caller, 1)) return 'waiting_plants';
    return this.#bytes.hasRoom(caller, bytes) ? undefined : 'waiting_bytes';
  }

  add({ caller, plants, bytes }: QueuedWrite): void {
    this.#plants.add(caller, plants.length);
    this.#bytes.add(caller, bytes);
  }

  remove({ caller, plants, bytes }: QueuedWrite): void {
    this.#plants.release(caller, plants.length);
    this.#bytes.release(caller, bytes);
  }

  /** How many callers share the time, at least 1. */
  countCallers(): number {
    return this.#callers.count();
  }
}

/** What a batcher takes its batches from: one queue, or one for each part of the store that commits by itself. */
export interface BatchQueues {
  readonly total: QueueTotal;
  /** Those that have plants and may have another insert in flight, in the order in which they get it. */
  readonly ready: ReadonlySet<ReadyQueue>;
  /** How many inserts may be in flight. */
  readonly inserts: number;
  /** While one of these has not ended, some queues wait although no insert may be in flight. */
  readonly delays: Iterable<Promise<void>>;
  /** The queue of the plant with this id. */
  of(id: bigint): ReadyQueue;
  /** The limit of one of several queues that a further plant in it would exceed, if any. */
  findOverload?(queue: ReadyQueue, bytes: number): 'waiting_plants' | 'waiting_bytes' | undefined;
  push(queue: ReadyQueue, write: QueuedWrite): void;
  /** Removes the next batch of a ready queue, whose turn comes again after that of the others. */
  takeBatch(queue: ReadyQueue): readonly QueuedWrite[];
  /** Call it when an insert of the queue is no longer in flight, with the error to reject what is queued with, if any. */
  end(queue: ReadyQueue, outage: ServiceError | undefined): void;
}

/** A queue that a batcher can take batches from. */
interface ReadyQueue {
  readonly waiting: BatchQueue;
}

/**
 * The queue of a store whose plants can all share a commit.
 *
 * @param inserts how many inserts may be in flight
 * @param callers who shares the time with them
 */
export function createSingleQueue(
  limits: BatchLimits,
  inserts: number,
  callers: Pick<ActiveCallers, 'count'>,
): BatchQueues {
  const total = new QueueTotal(limits, callers);
  const only = { waiting: createBatchQueue(limits, total) };
  const ready = new Set<ReadyQueue>();
  return {
    ...{ total, ready, inserts },
    delays: [],
    of: () => only,
    push(_, write) {
      only.waiting.push(write);
      ready.add(only);
    },
    takeBatch() {
      const batch = only.waiting.takeBatch();
      if (total.plants === 0) ready.delete(only);
      return batch;
    },
    end(_, outage) {
      if (outage === undefined) return;
      only.waiting.rejectAll(outage);
      ready.delete(only);
    },
  };
}

/** Writes that are taken out in batches. Callers take turns; the writes of one keep their order. */
export interface BatchQueue {
  /** How much this queue holds. */
  readonly used: Readonly<QueueUsage>;
  /** Whether waiting would add no more plants to the next batch, or would cause some to be rejected. */
  hasFullBatch(): boolean;
  push(write: QueuedWrite): void;
  /**
   * Removes the next batch from the queue: at least one write, however large; empty only if the queue is. Each of several callers
   * has an equal part of it at most, so that none makes the commits of others long.
   */
  takeBatch(): readonly QueuedWrite[];
  /** Rejects all queued writes and removes them. */
  rejectAll(error: unknown): void;
}

/** How many bytes a batch holds in any case, however many callers share the time. */
const minBatchBytes = 2 ** 18;

/**
 * Creates an empty queue. Its user checks the limits before each `push`.
 *
 * @param total how much all queues hold, which each of them keeps up to date
 */
function createBatchQueue(limits: BatchLimits, total: QueueTotal): BatchQueue {
  const { queuePlants, batchPlants, batchBytes } = limits;
  const used: QueueUsage = { plants: 0, bytes: 0 };
  const waiting = new FairQueue<QueuedWrite>();

  function shift(): QueuedWrite | undefined {
    const write = waiting.shift();
    if (write === undefined) return undefined;
    used.plants -= write.plants.length;
    used.bytes -= write.bytes;
    total.remove(write);
    return write;
  }

  return {
    used,
    hasFullBatch: () => used.plants >= Math.min(batchPlants, queuePlants) || used.bytes >= batchBytes,
    push(write) {
      waiting.push(write.caller, write);
      used.plants += write.plants.length;
      used.bytes += write.bytes;
      total.add(write);
    },
    takeBatch() {
      const batch: QueuedWrite[] = [];
      let plants = 0;
      let bytes = 0;
      // In each round every caller has a turn.
      const callers = total.countCallers();
      let rounds = Math.ceil(batchPlants / callers);
      const maxBytes = Math.max(batchBytes / callers, Math.min(batchBytes, minBatchBytes));
      let left = waiting.callers;
      for (let next = waiting.peek(); next !== undefined; next = waiting.peek()) {
        if (left === 0) {
          if (--rounds === 0) break;
          left = waiting.callers;
        }
        plants += next.plants.length;
        bytes += next.bytes;
        if (batch.length > 0 && (plants > batchPlants || bytes > maxBytes)) break;
        shift();
        batch.push(next);
        left--;
      }
      return batch;
    },
    rejectAll(error) {
      for (let write = shift(); write !== undefined; write = shift()) write.reject(error);
    },
  };
}
