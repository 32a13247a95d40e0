import { setTimeout as sleep } from 'node:timers/promises';
import { internalError, ServiceError } from '../../../errors/service-error.js';
import { withTimeout } from '../../../runtime/timing.js';
import { databaseUnavailable } from '../../database.js';
import { findDriverError, isCanceled, isTimeout } from '../errors.js';
import type { NodeWatch } from './watch-nodes.js';

interface Options {
  readonly watch: Pick<NodeWatch, 'areAllUsable' | 'suspect'>;
  /** Finds the group of the node that each id is on. */
  locate(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, number>>;
}

/** Writes items in one statement, such as `Store.create`. */
type WriteAll<Item, Outcome> = (items: readonly Item[]) => Promise<readonly (Outcome | ServiceError)[]>;

/** For how long an id that a statement has waited for in vain is sent alone, in milliseconds. */
const aloneForMs = 60_000;
/** How many of these are tried at a time, and how long others wait for one that comes with them, in milliseconds. */
const maxAlone = 3;
const aloneWaitMs = 500;
const placePollMs = 20;

/**
 * Creates a function that makes of a write, which succeeds or fails as a whole, one that refuses those items alone that cannot be
 * stored.
 *
 * While all nodes are there, it is one statement. Once one has failed, there is one for each node. A statement that has timed out
 * may have waited for a single row, which a transaction holds that was prepared when its node failed. So its items are sent alone
 * when they come again, and refused if that takes long.
 */
export function createWriteByNode({ watch, locate }: Options) {
  /** The ids that are sent alone, and until when. */
  const alone = new Map<bigint, number>();
  const trying = new Set<bigint>();

  const isAlone = (id: bigint) => (alone.get(id) ?? 0) > performance.now();

  function separate(ids: readonly bigint[]): void {
    const now = performance.now();
    for (const [id, until] of alone) if (until < now) alone.delete(id);
    for (const id of ids) alone.set(id, now + aloneForMs);
  }

  return function writeByNode<Item, Outcome>(
    writeAll: WriteAll<Item, Outcome>,
    idOf: (item: Item) => bigint,
  ): WriteAll<Item, Outcome> {
    async function writeAlone(item: Item): Promise<Outcome | ServiceError> {
      const id = idOf(item);
      const refusal = databaseUnavailable(new Error(`an earlier statement for the id ${id} has timed out`));
      const endsAt = performance.now() + aloneWaitMs;
      while (trying.size >= maxAlone || trying.has(id)) {
        if (performance.now() >= endsAt) return refusal;
        await sleep(placePollMs);
      }
      trying.add(id);
      const attempt = writeAll([item])
        .then(([outcome = missing]) => outcome, toServiceError)
        .then((outcome) => {
          trying.delete(id);
          if (hasTimedOut(outcome)) separate([id]);
          else alone.delete(id);
          return outcome;
        });
      return withTimeout(attempt, Math.max(0, endsAt - performance.now()), () => refusal);
    }

    async function writePart(items: readonly Item[], onFailure: (error: ServiceError) => void) {
      try {
        return await writeAll(items);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        onFailure(error);
        if (hasTimedOut(error)) separate(items.map(idOf));
        return error;
      }
    }

    /** Writes the items of each node in a statement of their own. */
    async function writeEach(items: readonly Item[]): Promise<readonly (Outcome | ServiceError)[]> {
      const nodes = await locate(items.map(idOf));
      // By their places, since an id may occur twice.
      const outcomes: (Outcome | ServiceError)[] = [];
      const writeOn = async ([group, own]: [number, [number, Item][]]) => {
        const ofNode = own.map(([, item]) => item);
        const result = await writePart(ofNode, (error) => watch.suspect(error.cause, group));
        for (const [index, [place]] of own.entries())
          outcomes[place] = result instanceof ServiceError ? result : (result[index] ?? missing);
      };
      const byNode = Map.groupBy(items.entries(), ([, item]) => nodes.get(idOf(item)) ?? 0);
      const written = await Promise.allSettled([...byNode].map(writeOn));
      for (const result of written) if (result.status === 'rejected') throw result.reason;
      return items.map((_, place) => outcomes[place] ?? missing);
    }

    async function writeTogether(items: readonly Item[]): Promise<readonly (Outcome | ServiceError)[]> {
      if (items.length === 0) return [];
      if (!watch.areAllUsable()) return writeEach(items);
      const result = await writePart(items, (error) => watch.suspect(error.cause));
      if (!(result instanceof ServiceError)) return result;
      // What may have been stored is not sent again, since it would then be found taken, as a replay.
      return isOutcomeUnknown(result) ? items.map(() => result) : writeEach(items);
    }

    return async (items) => {
      const ofAlone = items.map((item) => (isAlone(idOf(item)) ? writeAlone(item) : undefined));
      const outcomes = (await writeTogether(items.filter((_, at) => ofAlone[at] === undefined))).values();
      return Promise.all(ofAlone.map((outcome) => outcome ?? outcomes.next().value ?? missing));
    };
  };
}

const missing = internalError(new Error('The store returned no outcome'));

function isUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : internalError(error);
}

/** Whether a statement has waited as long as it may, for a node or for a row. */
function hasTimedOut(error: unknown): boolean {
  const driverError = driverErrorOf(error);
  return driverError !== undefined && (isCanceled(driverError) || isTimeout(driverError));
}

/** Whether a statement may have succeeded: it has timed out, its connection broke, or the server says so (40003). */
function isOutcomeUnknown(error: ServiceError): boolean {
  const code = driverErrorOf(error)?.code;
  return hasTimedOut(error) || code === undefined || code === '40003';
}

function driverErrorOf(error: unknown) {
  return findDriverError(
    error instanceof ServiceError && error.cause instanceof Error ? error.cause.cause : undefined,
  );
}
