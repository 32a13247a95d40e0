import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@plant-store/client';

/** Creates that run until they are stopped. */
export interface Load {
  /** The id of each plant that was answered 200, with its name. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** How many attempts failed so far. */
  countFailures(): number;
  /** The times of a 200, in milliseconds of `performance.now()`: the last one, and the longest interval since a time. */
  lastAcknowledgedAt(): number;
  longestGapSince(time: number): number;
  /** Stops it, after each plant that was begun has been acknowledged. */
  stop(): Promise<void>;
}

/** The delay of each connection between two creates: enough load for many commits in flight, on a machine of 2 cores. */
const betweenCreatesMs = 10;
const afterFailureMs = 100;

/**
 * Creates plants on a number of connections. The client's own retries are off, so that every failed attempt is counted;
 * each plant is sent again until it is acknowledged.
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
  const gaps: { readonly end: number; readonly length: number }[] = [];
  let lastAt = performance.now();
  let failures = 0;
  let nextId = 1;
  let isStopping = false;

  async function create(id: number, name: string): Promise<boolean> {
    const reply = await client.createPlant({ body: { id, name } }).catch(() => undefined);
    // Neither can be the result of a failover.
    if (reply?.status === 400 || reply?.status === 401) throw new Error(JSON.stringify(reply.body));
    return reply?.status === 200;
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
      while (!(await create(id, name))) {
        failures++;
        signal.throwIfAborted();
        await delay(afterFailureMs);
      }
      acknowledge(id, name);
      await delay(betweenCreatesMs);
    }
  }
  const load = Promise.all(Array.from({ length: connections }, createContinually));
  load.catch(onFailure);
  return {
    acknowledged,
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
