import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { onTestFinished } from 'vitest';
import { until } from '../until.js';

/** The number of callers. Each two of them send the same ids with different names. */
const callers = 8;
/** From which id on the next load sends plants; smaller ones are for the test. */
let nextId = 1_000_000;
/** The delay of a caller after a reply: the load should be steady, not high. */
const delayMs = 20;

/**
 * Starts several callers that keep creating plants. Each retries a plant until it is stored or its id taken, unless
 * `retries` is false, and then sends the next.
 *
 * @param replyTimeoutMs the longest time that a reply may take
 */
export function startLoad(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  { replyTimeoutMs = Number.POSITIVE_INFINITY, retries = true } = {},
) {
  const client = createClient({ baseUrl, token, retries: 0, attemptTimeoutMs: 30_000 });
  const acknowledged = new Map<number, Set<string>>();
  const unexpected: string[] = [];
  const outcomes: { readonly outcome: string; readonly sentAt: number }[] = [];
  const expected = ['stored', 'taken', ...(retries ? ['unavailable'] : [])];
  const firstId = nextId;
  nextId += 1_000_000;
  let ending = false;
  onTestFinished(() => {
    ending = true;
  });

  /** Sends a create; returns whether it is done: the plant stored, or its id taken. */
  async function create(id: number, name: string): Promise<boolean> {
    const sentAt = performance.now();
    const outcome = await client.createPlant({ body: { id, name } }).then(describeReply, String);
    const tookMs = performance.now() - sentAt;
    outcomes.push({ outcome, sentAt });
    if (outcome === 'stored') acknowledged.set(id, (acknowledged.get(id) ?? new Set()).add(name));
    if (!expected.includes(outcome)) unexpected.push(outcome);
    if (tookMs > replyTimeoutMs) unexpected.push(`${outcome} after ${tookMs} ms`);
    await sleep(delayMs);
    return outcome === 'stored' || outcome === 'taken';
  }

  async function call(caller: number): Promise<void> {
    for (let id = firstId + (caller >> 1); !ending; id += callers >> 1) {
      let isDone: boolean;
      do isDone = await create(id, `plant ${id} of caller ${caller}`);
      while (retries && !isDone);
    }
  }
  const calls = Array.from({ length: callers }, (_, caller) => call(caller));

  async function untilSeen(wanted: string, count: number): Promise<void> {
    const since = performance.now();
    const isWanted = ({ outcome, sentAt }: (typeof outcomes)[number]) => outcome === wanted && sentAt > since;
    await until(() => outcomes.filter(isWanted).length >= count);
  }

  return {
    /** The acknowledged names, by id; a correct service acknowledges one per id. */
    acknowledged,
    /** Unexpected outcomes: anything but a 200, a taken id, or, with retries, a 503 in time with a Retry-After. */
    unexpected,
    /** Resolves once this many creates sent after this call were acknowledged. */
    acknowledgements: (count: number) => untilSeen('stored', count),
    /** Resolves once this many creates sent after this call were rejected with `database_unavailable`. */
    rejections: (count: number) => untilSeen('unavailable', count),
    /** Stops the callers; resolves once every id in flight is stored, or not retried. */
    async end() {
      ending = true;
      await Promise.all(calls);
    },
  };
}

type Reply = Awaited<ReturnType<ReturnType<typeof createClient>['createPlant']>>;

function describeReply({ status, body, headers }: Reply): string {
  if (status === 200) return 'stored';
  if (body.error === errors.id_taken.error) return 'taken';
  const retryAfter = headers.get('retry-after');
  if (body.error === errors.database_unavailable.error && retryAfter === '1') return 'unavailable';
  return `${status} ${JSON.stringify(body)}, Retry-After: ${retryAfter}`;
}
