import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { onTestFinished } from 'vitest';

/** How many callers there are, of which two at a time send the same ids with different names. */
const callers = 8;
/** How long a caller waits after a reply, in milliseconds: the load shall be steady, not high. */
const pauseMs = 10;

/** What callers found who create plants all the while. */
export interface SteadyLoad {
  /** The names that were acknowledged, by id; a service in order acknowledges one of an id. */
  readonly acknowledged: ReadonlyMap<number, ReadonlySet<string>>;
  /** What no caller should meet: anything but a 200, a taken id, and a 503 in time that says when to try again. */
  readonly faults: readonly string[];
  /** Resolves once so many creates that began after this call were acknowledged. */
  acknowledgements(count: number): Promise<void>;
  /** Resolves once so many creates that began after this call were refused since the database does not answer. */
  refusals(count: number): Promise<void>;
  /** Resolves once every create under way is answered; each id begun is stored by then. */
  end(): Promise<void>;
}

/**
 * Creates plants with several callers, each of them until its plant is stored or its id taken, then the next.
 *
 * @param replyTimeoutMs how long any reply may take
 */
export function startLoad(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  replyTimeoutMs: number,
): SteadyLoad {
  const client = createClient({ baseUrl, token, retries: 0, attemptTimeoutMs: 30_000 });
  const acknowledged = new Map<number, Set<string>>();
  const faults: string[] = [];
  const waiting = new Set<Expectation>();
  let ending = false;
  onTestFinished(() => {
    ending = true;
  });

  /** Sends a create and gives whether it is settled: the plant stored, or its id taken. */
  async function create(id: number, name: string): Promise<boolean> {
    const sentAt = performance.now();
    const outcome = await client.createPlant({ body: { id, name } }).then(describeReply, String);
    const tookMs = performance.now() - sentAt;
    if (outcome === 'stored') acknowledged.set(id, (acknowledged.get(id) ?? new Set()).add(name));
    else if (!(outcome === 'taken' || outcome === 'unavailable')) faults.push(outcome);
    if (tookMs > replyTimeoutMs) faults.push(`${outcome} after ${tookMs} ms`);
    for (const expectation of waiting) if (sentAt > expectation.since) expectation.see(outcome);
    return outcome === 'stored' || outcome === 'taken';
  }

  async function call(caller: number): Promise<void> {
    for (let id = caller >> 1; !ending; id += callers >> 1) {
      while (!(await create(id, `plant ${id} of caller ${caller}`))) await sleep(pauseMs);
      await sleep(pauseMs);
    }
  }
  const calls = Array.from({ length: callers }, (_, caller) => call(caller));

  function expectOutcomes(expected: string, count: number): Promise<void> {
    return new Promise((resolve) => {
      let seen = 0;
      const expectation = {
        since: performance.now(),
        see(outcome: string) {
          if (outcome === expected) seen++;
          if (seen < count) return;
          waiting.delete(expectation);
          resolve();
        },
      };
      waiting.add(expectation);
    });
  }

  return {
    acknowledged,
    faults,
    acknowledgements: (count) => expectOutcomes('stored', count),
    refusals: (count) => expectOutcomes('unavailable', count),
    async end() {
      ending = true;
      await Promise.all(calls);
    },
  };
}

interface Expectation {
  readonly since: number;
  see(outcome: string): void;
}

type Reply = Awaited<ReturnType<ReturnType<typeof createClient>['createPlant']>>;

function describeReply({ status, body, headers }: Reply): string {
  if (status === 200) return 'stored';
  if (body.error === errors.id_taken.error) return 'taken';
  const retryAfter = headers.get('retry-after');
  if (body.error === errors.database_unavailable.error && retryAfter === '1') return 'unavailable';
  return `${status} ${JSON.stringify(body)}, Retry-After: ${retryAfter}`;
}
