import { internalError, ServiceError } from '../../../errors/service-error.js';
import type { PlantOutcome, PlantRecord, PlantStore } from '../../../plants/plant-store.js';
import { withTimeout } from '../../../runtime/timing.js';
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
/** How many of these are tried at a time, and how long others wait for one that comes with them, in milliseconds. */
const maxAlone = 3;
const aloneWaitMs = 500;

/**
 * Makes of an insert, which succeeds or fails as a whole, one that refuses those plants alone that cannot be stored.
 *
 * While all nodes are there, it is one statement. Once one has failed, there is one for each node. A statement that has timed out
 * may have waited for a single row, which a transaction holds that was prepared when its node failed. So its plants are sent alone
 * when they come again, and refused if that takes long.
 */
export function insertByNode({ watch, locate }: Options): (insert: PlantStore['insert']) => BatchInsert {
  /** The ids that are sent alone, and until when. */
  const alone = new Map<bigint, number>();
  const trying = new Set<bigint>();

  function separate(records: readonly PlantRecord[]): void {
    const now = performance.now();
    for (const [id, until] of alone) if (until < now) alone.delete(id);
    for (const { id } of records) alone.set(id, now + aloneForMs);
  }

  async function insertAlone(record: PlantRecord, insert: PlantStore['insert']): Promise<Refusable> {
    const { id } = record;
    const refusal = databaseUnavailable(new Error(`an earlier statement for the id ${id} has timed out`));
    if (trying.size >= maxAlone || trying.has(id)) return refusal;
    trying.add(id);
    const attempt = insert([record])
      .then(([outcome = missing]) => outcome, toServiceError)
      .then((outcome) => {
        trying.delete(id);
        if (hasTimedOut(outcome)) separate([record]);
        else alone.delete(id);
        return outcome;
      });
    return withTimeout(attempt, aloneWaitMs, () => refusal);
  }

  return (insert) => {
    async function insertPart(records: readonly PlantRecord[], onFailure: (error: ServiceError) => void) {
      try {
        return await insert(records);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        onFailure(error);
        if (hasTimedOut(error)) separate(records);
        return error;
      }
    }

    /** Inserts the plants of each node in a statement of their own. */
    async function insertEach(records: readonly PlantRecord[]): ReturnType<BatchInsert> {
      const nodes = await locate(records.map(({ id }) => id));
      const outcomes = new Map<PlantRecord, Refusable>();
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
      const together = records.filter(({ id }) => !alone.has(id));
      const ofAlone = records.map((record) =>
        alone.has(record.id) ? insertAlone(record, insert) : undefined,
      );
      const outcomes = (await insertTogether(together)).values();
      return Promise.all(ofAlone.map((outcome) => outcome ?? outcomes.next().value ?? missing));
    };
  };
}

type Refusable = PlantOutcome | ServiceError;

const missing = internalError(new Error('The store returned no outcome for the plant'));

function isUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : internalError(error);
}

/** Whether a statement has waited as long as it may, for a node or for a row. */
function hasTimedOut(error: unknown): boolean {
  const cause = error instanceof ServiceError && error.cause instanceof Error ? error.cause.cause : undefined;
  const driverError = findDriverError(cause);
  return driverError !== undefined && (isCanceled(driverError) || isTimeout(driverError));
}
