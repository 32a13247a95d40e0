import { type Change, ServiceError, type Store } from '@plant-store/records';
import { type OverloadReason, overloadErrors, waitingRecords } from '../errors/service-error.js';
import type { CommitRecord } from '../observe/commit-health.js';
import { type ActiveCallers, Budget, BusyShare, type Caller, FairQueue } from '../runtime/callers.js';
import type { Database } from './database.js';
import type { Write, WriteOutcome } from './store.js';
import { allTables, type Table } from './table.js';

/** How much can be queued, and how much one batch can hold, across all resources. Bytes count the fields of records. */
export interface QueueLimits {
  readonly queueRecords: number;
  readonly queueBytes: number;
  readonly batchRecords: number;
  readonly batchBytes: number;
}

export interface CommitQueueOptions {
  readonly database: Pick<Database, 'write' | 'writesTogether' | 'changesTogether' | 'concurrentCommits'>;
  /** The tables of the resources. Default: all resources of the API. */
  readonly tables?: readonly Pick<Table, 'resource' | 'bytesOf'>[];
  readonly limits: QueueLimits;
  readonly callers: Pick<ActiveCallers, 'count'>;
  readonly commits: CommitRecord;
}

type Waiting = Write & {
  readonly bytes: number;
  readonly caller: Caller;
  resolve(outcome: WriteOutcome): void;
  reject(error: unknown): void;
};

/** The lowest size limit of a batch, in bytes, no matter how many callers share it. */
const minBatchBytes = 2 ** 18;

/**
 * Groups concurrent writes into batches, and commits each batch at once (group commit). A single write does not wait for others: it is
 * stored at the end of the turn of the event loop in which it arrives. A full batch is stored immediately, instead of rejecting the writes
 * that follow.
 */
export function createCommitQueue({
  database,
  tables = allTables,
  limits,
  callers,
  commits,
}: CommitQueueOptions) {
  const { writesTogether, changesTogether, concurrentCommits } = database;
  const tableOf = new Map(tables.map((table) => [table.resource, table]));
  const waiting = new FairQueue<Waiting>();
  const recordBudget = new Budget(limits.queueRecords);
  const byteBudget = new Budget(limits.queueBytes);
  const inFlight = new Set<Promise<void>>();
  const busy = new BusyShare();
  let endOfTurn: NodeJS.Immediate | undefined;

  /** Returns the limit that another write would exceed, if any. */
  function findOverload(caller: Caller, bytes: number): OverloadReason | undefined {
    if (!recordBudget.hasRoom(caller, 1)) return waitingRecords;
    return byteBudget.hasRoom(caller, bytes) ? undefined : 'waiting_bytes';
  }

  function enqueue<Outcome>(
    { resource, record, change }: Write,
    bytes: number,
    caller: Caller,
  ): Promise<Outcome> {
    let overload = findOverload(caller, bytes);
    if (overload !== undefined && endOfTurn !== undefined) {
      storeBatches();
      overload = findOverload(caller, bytes);
    }
    if (overload !== undefined) return Promise.reject(overloadErrors[overload]);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    waiting.push(caller, { resource, record, change, bytes, caller, resolve, reject } as Waiting);
    recordBudget.add(caller, 1);
    byteBudget.add(caller, bytes);
    busy.begin();
    scheduleStore();
    // The next batch is full, or waiting would cause writes to be rejected.
    const isFull =
      waiting.size >= Math.min(limits.batchRecords, limits.queueRecords) ||
      byteBudget.held >= limits.batchBytes;
    if (endOfTurn !== undefined && isFull) storeBatches();
    return promise;
  }

  function dequeue(): Waiting | undefined {
    const write = waiting.shift();
    if (write === undefined) return undefined;
    recordBudget.release(write.caller, 1);
    byteBudget.release(write.caller, write.bytes);
    return write;
  }

  /** Stores the waiting writes at the end of this turn of the event loop. If more arrive until then, waits for a turn without any. */
  function scheduleStore(): void {
    if (endOfTurn !== undefined || waiting.size === 0 || inFlight.size >= concurrentCommits) return;
    const { size } = waiting;
    endOfTurn = setImmediate(() => {
      endOfTurn = undefined;
      if (waiting.size > size) scheduleStore();
      else storeBatches();
    });
  }

  function storeBatches(): void {
    clearImmediate(endOfTurn);
    endOfTurn = undefined;
    if (waiting.size > 0 && inFlight.size < concurrentCommits) {
      const stored = storeBatch(takeBatch()).then(() => {
        inFlight.delete(stored);
        if (inFlight.size === 0 && waiting.size === 0) busy.end();
        scheduleStore();
      });
      inFlight.add(stored);
    }
    // Writes that did not fit into this batch do not have to wait for it.
    scheduleStore();
  }

  /**
   * Removes the next batch from the queue: at least one write, however large. If there are several callers, each gets at most an equal
   * share, so that no caller slows down the commits of others.
   */
  function takeBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const active = callers.count();
    const maxBytes = Math.max(limits.batchBytes / active, Math.min(limits.batchBytes, minBatchBytes));
    let bytes = 0;
    // Every caller has one turn per round.
    for (let rounds = Math.ceil(limits.batchRecords / active); rounds > 0 && waiting.callers > 0; rounds--) {
      for (let turns = waiting.callers; turns > 0; turns--) {
        const next = waiting.peek();
        if (next === undefined) return batch;
        bytes += next.bytes;
        if (batch.length > 0 && (batch.length === limits.batchRecords || bytes > maxBytes)) return batch;
        dequeue();
        batch.push(next);
      }
    }
    return batch;
  }

  async function storeBatch(batch: readonly Waiting[]): Promise<void> {
    let outage: ServiceError | undefined;
    for (const part of writesTogether ? [batch] : splitBatch(batch, changesTogether)) {
      if (outage === undefined) outage = await commit(part);
      else for (const { reject } of part) reject(outage);
    }
    if (outage === undefined) return;
    // The queued writes have already waited for the unavailable database, and should not wait as long again.
    for (let write = dequeue(); write !== undefined; write = dequeue()) write.reject(outage);
  }

  /**
   * Stores writes, and resolves or rejects each. If one of them makes the commit fail, stores each half separately, so that only that one
   * is rejected.
   *
   * @returns the error with which writes were rejected if the store is unavailable
   */
  async function commit(writes: readonly Waiting[]): Promise<ServiceError | undefined> {
    const begun = commits.begin(writes.length);
    try {
      const outcomes = await database.write(writes);
      for (const [index, { resolve, reject }] of writes.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('The store returned no outcome'));
        else resolve(outcome);
      }
      commits.end(begun);
      return undefined;
    } catch (error) {
      commits.end(begun, error);
      if (writes.length === 1 || error instanceof ServiceError) {
        for (const { reject } of writes) reject(error);
        return error instanceof ServiceError ? error : undefined;
      }
      const middle = Math.ceil(writes.length / 2);
      const outage = await commit(writes.slice(0, middle));
      if (outage === undefined) return commit(writes.slice(middle));
      for (const { reject } of writes.slice(middle)) reject(outage);
      return outage;
    }
  }

  return {
    /**
     * Returns functions that queue a caller's writes to a resource. They resolve once a write is on disk, or once a create's ID turns
     * out to be taken.
     *
     * @throws {ServiceError} `overloaded` when the queue has no room for the caller. Nothing is stored then
     * @throws {ServiceError} `database_unavailable` when the store does not answer
     * @throws whatever else the store throws for this write, never an error caused by another write
     */
    writerOf: <Fields extends object>(
      resource: string,
      caller: Caller,
    ): Pick<Store<Fields>, 'create' | 'change'> => ({
      create: (record) =>
        enqueue(
          { resource, record: { ...record, addedBy: String(caller) } },
          tableOf.get(resource)?.bytesOf(record) ?? 0,
          caller,
        ),
      change: (change) =>
        enqueue(
          { resource, change: { ...change, by: String(caller) } as Change<object> },
          change.bytes,
          caller,
        ),
    }),
    /** Returns the recent share of time in which a write waited, from 0 to 1. */
    waitingShare: () => busy.value(),
    /** Whether the queue would reject another write from this caller, because of the limit on queued records. */
    isFull: (caller: Caller) => !recordBudget.hasRoom(caller, 1),
    /** Returns how much is queued for all resources. Bytes count the fields of records. */
    queued: () => ({ records: waiting.size, bytes: byteBudget.held }),
    /** Resolves once nothing is queued or being stored. */
    async idle(): Promise<void> {
      while (inFlight.size > 0 || waiting.size > 0) {
        await Promise.all(inFlight);
        await new Promise(setImmediate);
      }
    },
  };
}

/**
 * Splits a batch into the parts that a database commits separately: the creates of each resource, then the changes.
 *
 * @param changesTogether whether the changes of a resource are one part. Otherwise, each change is a part
 */
function splitBatch(batch: readonly Waiting[], changesTogether = true): readonly (readonly Waiting[])[] {
  const [creates, changes] = [batch.filter(({ change }) => !change), batch.filter(({ change }) => change)];
  const byResource = (writes: readonly Waiting[]) => [
    ...Map.groupBy(writes, ({ resource }) => resource).values(),
  ];
  return [
    ...byResource(creates),
    ...(changesTogether ? byResource(changes) : changes.map((write) => [write])),
  ];
}
