import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { internalError, ServiceError } from '../../../errors/service-error.js';
import { withTimeout } from '../../../runtime/timing.js';
import { type DatabaseLog, databaseUnavailable, isDatabaseUnavailable } from '../../database.js';
import type { Store } from '../../store.js';
import type { QueryWrapper } from '../../table.js';
import { findDriverError, hasTimedOut, mayHaveSucceeded } from '../errors.js';
import { locate } from './nodes.js';
import { type NodeWatch, watchNodes } from './watch-nodes.js';

export { createInsertOfValues } from './insert-values.js';

/** How many commits are in flight: each waits for several servers, one after the other. */
export const concurrentCommits = 4;

/**
 * Makes of a store on PostgreSQL, whose table Citus distributes, one that refuses those alone whose node is away.
 *
 * @throws {OperatorError} when a node would acknowledge plants before they are on its disk
 */
export async function openCitus<Resource>(
  pool: Pool,
  store: Store<Resource>,
  transact: QueryWrapper,
  log: DatabaseLog,
): Promise<{ readonly plants: Store<Resource>; readonly watch: NodeWatch }> {
  const watch = await watchNodes(pool, log);
  const locateAll = (ids: readonly bigint[]) => transact(() => locate(pool, ids));
  const writeByNode = createWriteByNode(watch, locateAll);
  const isId = (id: bigint) => id;
  const plants: Store<Resource> = {
    ...store,
    create: writeByNode(store.create, ({ id }) => id),
    remove: (ids, retire) => writeByNode((some: readonly bigint[]) => store.remove(some, retire), isId)(ids),
    // A node that hangs would keep the connections that other statements need.
    async find(ids) {
      const groups = watch.failingShare() > 0 ? (await locateAll(ids)).values() : [];
      for (const group of new Set(groups)) {
        const refusal = await watch.refusalOf(group);
        if (refusal !== undefined) throw refusal;
      }
      return store.find(ids);
    },
  };
  return { plants, watch };
}

type Outcomes<Outcome> = readonly (Outcome | ServiceError)[];

/** Writes items in one statement, such as `Store.create`. */
type WriteAll<Item, Outcome> = (items: readonly Item[]) => Promise<Outcomes<Outcome>>;

/** How many ids are remembered that are sent alone, how many of them are tried at a time, and for how long, in milliseconds. */
const maxAlone = 10_000;
const maxTried = 3;
const aloneMs = 500;
const pollMs = 20;

/**
 * Creates a function that makes of a write, which succeeds or fails as a whole, one that refuses those items alone that cannot be
 * stored.
 *
 * While all nodes are there, it is one statement. Once one has failed, there is one for each node. A statement that has timed out
 * may have waited for a single row, which a transaction holds that was prepared when its node failed. So its items are sent alone
 * when they come again, and refused if that takes long.
 *
 * @param locate finds the group of the node that each id is on
 */
export function createWriteByNode(
  watch: Pick<NodeWatch, 'failingShare' | 'refusalOf' | 'checkAll'>,
  locate: (ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, number>>,
) {
  const alone = new Set<bigint>();
  const tried = new Set<bigint>();

  return function writeByNode<Item, Outcome>(
    writeAll: WriteAll<Item, Outcome>,
    idOf: (item: Item) => bigint,
  ): WriteAll<Item, Outcome> {
    /** Sends a statement. Returns why it has failed, if the database is unavailable, once it is known which nodes are away. */
    async function send(items: readonly Item[]): Promise<Outcomes<Outcome> | ServiceError> {
      try {
        const outcomes = await writeAll(items);
        for (const item of items) alone.delete(idOf(item));
        return outcomes;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        if (hasTimedOut(driverErrorOf(error))) for (const item of items) alone.add(idOf(item));
        if (alone.size > maxAlone) alone.clear();
        await watch.checkAll();
        return error;
      }
    }

    async function sendAlone(id: bigint, items: readonly Item[]): Promise<Outcomes<Outcome> | ServiceError> {
      const refusal = databaseUnavailable(new Error(`an earlier statement for the id ${id} has timed out`));
      const endsAt = performance.now() + aloneMs;
      while (tried.size >= maxTried || tried.has(id)) {
        if (performance.now() >= endsAt) return refusal;
        await sleep(pollMs);
      }
      tried.add(id);
      const attempt = send(items).finally(() => tried.delete(id));
      return withTimeout(attempt, Math.max(0, endsAt - performance.now()), () => refusal);
    }

    async function write(items: readonly Item[], isDivided: boolean): Promise<Outcomes<Outcome>> {
      const nodes = isDivided ? await locate(items.map(idOf)) : new Map<bigint, number>();
      /** Writes what is sent together: by the id of what is sent alone, the group of a node, or `undefined` for all. */
      async function writePart(key: bigint | number | undefined, part: readonly Item[]) {
        const isAlone = typeof key === 'bigint';
        const refusal = await watch.refusalOf(isAlone ? nodes.get(key) : key);
        const result = refusal ?? (await (isAlone ? sendAlone(key, part) : send(part)));
        if (!(result instanceof ServiceError)) return result;
        // What may have been stored is not sent again, since it would then be found taken, as a replay.
        const isSentAgain = !isAlone && !isDivided && !mayHaveSucceeded(driverErrorOf(result));
        return isSentAgain ? write(part, true) : part.map(() => result);
      }
      const keys = items.map((item) => (alone.has(idOf(item)) ? idOf(item) : nodes.get(idOf(item))));
      const written = [...Map.groupBy(items, (_, place) => keys[place])].map(
        async ([key, part]) => [key, (await writePart(key, part)).values()] as const,
      );
      // Whatever is thrown, none of it is in flight any more.
      await Promise.allSettled(written);
      const outcomes = new Map(await Promise.all(written));
      return keys.map((key) => outcomes.get(key)?.next().value ?? missing);
    }

    return (items) => write(items, watch.failingShare() > 0);
  };
}

const missing = internalError(new Error('The store returned no outcome'));

/** The error of the server or the driver; see `createRunQuery`. */
const driverErrorOf = ({ cause }: ServiceError) =>
  findDriverError(cause instanceof Error ? cause.cause : undefined) ?? { message: '' };
