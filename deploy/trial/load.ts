import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@plant-store/client';

/** Creates and deletes that run until they are stopped. */
export interface Load {
  /** The id of each plant that was answered 200, with its name. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** The ids of those whose delete was answered 204. */
  readonly deleted: ReadonlySet<number>;
  /** How many attempts failed so far. */
  countFailures(): number;
  /** The times of a 200, in milliseconds of `performance.now()`: the last one, and the longest interval since a time. */
  lastAcknowledgedAt(): number;
  longestGapSince(time: number): number;
  /** Stops it, after each plant that was begun has been acknowledged. */
  stop(): Promise<void>;
}

/** The error of a create whose plant was deleted. */
const idRetired = 40007;
/** The delay of each connection between two creates: enough load for many commits in flight, on a machine of 2 cores. */
const betweenCreatesMs = 10;
const afterFailureMs = 100;
/** Of so many plants one is deleted. */
const plantsPerDelete = 5;

/**
 * Creates plants on a number of connections, and deletes some. The client's own retries are off, so that every failed attempt is
 * counted; each request is sent again until it is acknowledged. While a plant is deleted, and afterwards, its create is sent again,
 * too, as by a caller that retries late.
 */
export function startLoad(options: {
  readonly baseUrl: string;
  readonly token: string;
  readonly connections: number;
  readonly signal: AbortSignal;
  /** Called on a reply that cannot be the result of a failover; it should abort the signal. */
  readonly onFailure: (error: Error) => void;
}): Load {
  const { baseUrl, token, connections, signal, onFailure } = options;
  const client = createClient({ baseUrl, token, retries: 0, timeoutMs: 15_000 });
  const acknowledged = new Map<number, string>();
  const deleted = new Set<number>();
  const gaps: { readonly end: number; readonly length: number }[] = [];
  let lastAt = performance.now();
  let failures = 0;
  let nextId = 1;
  let isStopping = false;

  /** Creates a plant; returns what has its id then, `undefined` if that is unknown. */
  async function create(id: number, name: string): Promise<'plant' | 'tombstone' | undefined> {
    const reply = await client.createPlant({ body: { id, name } }).catch(() => undefined);
    if (reply?.status === 400 && reply.body.error === idRetired) return 'tombstone';
    // Neither can be the result of a failover.
    if (reply?.status === 400 || reply?.status === 401) throw new Error(JSON.stringify(reply.body));
    return reply?.status === 200 ? 'plant' : undefined;
  }
  /** Deletes a plant that was acknowledged; returns whether that was. */
  async function remove(id: number): Promise<boolean> {
    const reply = await client.deletePlant({ params: { id: BigInt(id) } }).catch(() => undefined);
    if (reply?.status === 404) throw new Error(`The plant ${id} was acknowledged, and is not there`);
    return reply?.status === 204;
  }
  /** Tries until an attempt succeeds. */
  async function retry<Result>(attempt: () => Promise<Result | undefined | false>): Promise<Result> {
    for (;;) {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
      failures++;
      signal.throwIfAborted();
      await delay(afterFailureMs);
    }
  }
  async function createAndExpect(id: number, name: string, expected: 'plant' | 'tombstone'): Promise<void> {
    const found = await retry(() => create(id, name));
    if (found !== expected) throw new Error(`Instead of a ${expected} of ${id} there is a ${found}`);
  }
  function acknowledge(id: number, name: string): void {
    const now = performance.now();
    // Shorter ones are not what a failover takes.
    if (now - lastAt > 100) gaps.push({ end: now, length: now - lastAt });
    lastAt = now;
    acknowledged.set(id, name);
  }
  async function createContinually(): Promise<void> {
    while (!isStopping && !signal.aborted) {
      const id = nextId++;
      const name = `Plant ${id} of the failover trial`;
      await createAndExpect(id, name, 'plant');
      acknowledge(id, name);
      if (id % plantsPerDelete === 0) {
        await Promise.all([retry(() => remove(id)), retry(() => create(id, name))]);
        deleted.add(id);
        await createAndExpect(id, name, 'tombstone');
      }
      await delay(betweenCreatesMs);
    }
  }
  const load = Promise.all(Array.from({ length: connections }, createContinually));
  load.catch(onFailure);
  return {
    acknowledged,
    deleted,
    countFailures: () => failures,
    lastAcknowledgedAt: () => lastAt,
    longestGapSince: (time) =>
      Math.max(0, ...gaps.filter(({ end }) => end > time).map(({ length }) => length)),
    async stop() {
      isStopping = true;
      await load;
    },
  };
}
