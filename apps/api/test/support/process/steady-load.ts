import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { onTestFinished } from 'vitest';

/** The number of callers. Each two of them send the same ids with different names. */
const callers = 8;
/** The delay of a caller after a reply: the load should be steady, not high. */
const delayMs = 10;

/** Callers that keep creating plants, and what they observe. */
export interface SteadyLoad {
  /** The acknowledged names, by id; a correct service acknowledges one per id. */
  readonly acknowledged: ReadonlyMap<number, ReadonlySet<string>>;
  /** Unexpected outcomes: anything but a 200, a taken id, or a 503 in time with a Retry-After. */
  readonly unexpected: readonly string[];
  /** Resolves once this many creates sent after this call were acknowledged. */
  acknowledgements(count: number): Promise<void>;
  /** Resolves once this many creates sent after this call were rejected with `database_unavailable`. */
  rejections(count: number): Promise<void>;
  /** Stops the callers; resolves once every id in flight is stored. */
  end(): Promise<void>;
}

/**
 * Starts several callers. Each retries a plant until it is stored or its id taken, then sends the next.
 *
 * @param replyTimeoutMs the longest time that a reply may take
 */
export function startLoad(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  replyTimeoutMs: number,
): SteadyLoad {
  const client = createClient({ baseUrl, token, retries: 0, attemptTimeoutMs: 30_000 });
  const acknowledged = new Map<number, Set<string>>();
  const unexpected: string[] = [];
  const waiting = new Set<Expectation>();
  let ending = false;
  onTestFinished(() => {
    ending = true;
  });

  /** Sends a create; returns whether it is done: the plant stored, or its id taken. */
  async function create(id: number, name: string): Promise<boolean> {
    const sentAt = performance.now();
    const outcome = await client.createPlant({ body: { id, name } }).then(describeReply, String);
    const tookMs = performance.now() - sentAt;
    if (outcome === 'stored') acknowledged.set(id, (acknowledged.get(id) ?? new Set()).add(name));
    else if (!(outcome === 'taken' || outcome === 'unavailable')) unexpected.push(outcome);
    if (tookMs > replyTimeoutMs) unexpected.push(`${outcome} after ${tookMs} ms`);
    for (const expectation of waiting) if (sentAt > expectation.since) expectation.see(outcome);
    return outcome === 'stored' || outcome === 'taken';
  }

  async function call(caller: number): Promise<void> {
    for (let id = caller >> 1; !ending; id += callers >> 1) {
      while (!(await create(id, `plant ${id} of caller ${caller}`))) await sleep(delayMs);
      await sleep(delayMs);
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
    unexpected,
    acknowledgements: (count) => expectOutcomes('stored', count),
    rejections: (count) => expectOutcomes('unavailable', count),
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
