import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredRecord } from '@plant-store/records';
import { overloadErrors } from '../../errors/service-error.js';
import { Budget, type Caller, FairQueue } from '../../runtime/callers.js';

/** Finds records by id. Unknown ids are left out. */
export interface RecordFinder {
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<object>[]>;
}

type Find = (id: bigint, caller: Caller) => Promise<StoredRecord<object> | undefined>;

/** The maximum number of records per query. */
const maxBatch = 64;

/** The maximum number of waiting requests. `Budget` limits each caller's share. */
const maxWaiting = 10_000;

/** After this much text, in UTF-16 code units, other replies get a turn of the event loop. */
const textPerTurn = 2 ** 17;

interface Lookup {
  readonly id: bigint;
  readonly caller: Caller;
  resolve(record: StoredRecord<object> | undefined): void;
  reject(error: unknown): void;
}

/**
 * Creates a function that finds single records. Requests that arrive in one turn of the event loop, or while an earlier query is in
 * flight, share a query. Callers take turns.
 */
export function createBatchedFind(store: RecordFinder): Find {
  const waiting = new FairQueue<Lookup>();
  const budget = new Budget(maxWaiting);
  let isBusy = false;

  function takeBatch(): readonly Lookup[] {
    const batch: Lookup[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      budget.release(next.caller, 1);
      batch.push(next);
      if (batch.length === maxBatch) break;
    }
    return batch;
  }

  async function findAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        const found = await store.find([...new Set(batch.map(({ id }) => id))]);
        await resolveAll(batch, new Map(found.map((record) => [record.id, record])));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  }

  return function find(id, caller) {
    if (!budget.take(caller, 1)) return Promise.reject(overloadErrors.waiting_reads);
    return new Promise((resolve, reject) => {
      waiting.push(caller, { id, caller, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      setImmediate(findAll);
    });
  };
}

/** Resolves each lookup. After `textPerTurn` characters it yields, because serializing long text blocks the event loop. */
async function resolveAll(
  batch: readonly Lookup[],
  found: ReadonlyMap<bigint, StoredRecord<object>>,
): Promise<void> {
  let text = 0;
  for (const { id, resolve } of batch) {
    const record = found.get(id);
    resolve(record);
    for (const value of Object.values(record ?? {})) if (typeof value === 'string') text += value.length;
    if (text < textPerTurn) continue;
    text = 0;
    await nextTurn();
  }
}
