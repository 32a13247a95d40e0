import { internalError, ServiceError } from '../../../errors/service-error.js';
import type { PlantOutcome, PlantRecord, PlantStore } from '../../../plants/plant-store.js';
import type { BatchInsert } from '../../batcher.js';
import { databaseUnavailable } from '../../database.js';
import { findDriverError, isCanceled, isTimeout } from '../errors.js';
import type { NodeWatch } from './watch-nodes.js';

interface Options {
  readonly watch: Pick<NodeWatch, 'areAllUsable' | 'suspect'>;
  /** Finds the group of the node that each id is on. */
  locate(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, number>>;
}

/** For how long an id that a statement has waited for in vain is sent alone, in milliseconds. */
const aloneForMs = 60_000;
/** How many of these are tried at a time. */
const maxAlone = 2;

/**
 * Makes of an insert, which succeeds or fails as a whole, one that refuses those plants alone that cannot be stored.
 *
 * While all nodes are there, it is one statement. Once one has failed, there is one for each node.
 * A statement that has timed out may have waited for a single row, which a transaction holds that was prepared when its node
 * failed. So its plants are tried one by one, after they have been refused: a caller that retries gets the outcome.
 */
export function insertByNode({ watch, locate }: Options): (insert: PlantStore['insert']) => BatchInsert {
  /** The ids that are sent alone, and until when; and those that are to be sent now. */
  const alone = new Map<bigint, number>();
  const waiting = new Map<bigint, () => Promise<unknown>>();
  let trying = 0;

  function tryAlone(record: PlantRecord, insert: PlantStore['insert']): void {
    waiting.set(record.id, () => insert([record]));
    while (trying < maxAlone && waiting.size > 0) void runNext();
  }

  async function runNext(): Promise<void> {
    trying++;
    for (const [id, attempt] of waiting) {
      waiting.delete(id);
      const error = await attempt().catch((reason: unknown) => reason);
      if (hasTimedOut(error)) alone.set(id, performance.now() + aloneForMs);
      else alone.delete(id);
    }
    trying--;
  }

  /** From now on these plants are sent alone. */
  function separate(records: readonly PlantRecord[], insert: PlantStore['insert']): void {
    const now = performance.now();
    for (const [id, until] of alone) if (until < now) alone.delete(id);
    for (const { id } of records) alone.set(id, now + aloneForMs);
    for (const record of records) tryAlone(record, insert);
  }

  return (insert) => {
    async function insertPart(records: readonly PlantRecord[], onFailure: (error: ServiceError) => void) {
      try {
        return await insert(records);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        onFailure(error);
        if (hasTimedOut(error)) separate(records, insert);
        return error;
      }
    }

    /** Inserts the plants of each node in a statement of their own. */
    async function insertEach(records: readonly PlantRecord[]): ReturnType<BatchInsert> {
      const nodes = await locate(records.map(({ id }) => id));
      const outcomes = new Map<PlantRecord, PlantOutcome | ServiceError>();
      const insertOn = async ([group, own]: [number, PlantRecord[]]) => {
        const result = await insertPart(own, (error) => watch.suspect(error.cause, group));
        for (const [index, record] of own.entries())
          outcomes.set(record, result instanceof ServiceError ? result : (result[index] ?? missing));
      };
      await Promise.all([...Map.groupBy(records, ({ id }) => nodes.get(id) ?? 0)].map(insertOn));
      return records.map((record) => outcomes.get(record) ?? missing);
    }

    async function insertTogether(records: readonly PlantRecord[]): ReturnType<BatchInsert> {
      if (records.length === 0) return [];
      if (!watch.areAllUsable()) return insertEach(records);
      const result = await insertPart(records, (error) => watch.suspect(error.cause));
      if (!(result instanceof ServiceError)) return result;
      return hasTimedOut(result) ? records.map(() => result) : insertEach(records);
    }

    return async (records) => {
      const isAlone = records.map(({ id }) => alone.has(id));
      const outcomes = await insertTogether(records.filter((_, index) => !isAlone[index]));
      const iterator = outcomes.values();
      return records.map((record, index) => {
        if (!isAlone[index]) return iterator.next().value ?? missing;
        tryAlone(record, insert);
        return databaseUnavailable(new Error(`an earlier statement for the id ${record.id} has timed out`));
      });
    };
  };
}

const missing = internalError(new Error('The store returned no outcome for the plant'));

/** Whether a statement has waited as long as it may, for a node or for a row. */
function hasTimedOut(error: unknown): boolean {
  const cause = error instanceof ServiceError && error.cause instanceof Error ? error.cause.cause : undefined;
  const driverError = findDriverError(cause);
  return driverError !== undefined && (isCanceled(driverError) || isTimeout(driverError));
}
