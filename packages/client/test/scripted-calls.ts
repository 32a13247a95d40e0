import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { ClientOf } from '../src/client.js';
import { createClientOf } from '../src/create-client.js';
import type { CallOptions, ClientOptions, Fetch } from '../src/options.js';

/** Operations that are not those of the contract. */
interface TestOperations {
  readonly store: {
    readonly body: { readonly id: bigint };
    readonly responses: { readonly 200: unknown };
  };
  readonly add: TestOperations['store'];
  readonly find: {
    readonly params: { readonly plant: string; readonly leaf: bigint };
    readonly responses: { readonly 200: unknown };
  };
}
const statuses = [200, 400, 401, 403, 429, 500, 503];
const routes = {
  store: { method: 'POST', path: '/plants', statuses, idempotent: true },
  add: { method: 'POST', path: '/plants', statuses, idempotent: false },
  find: { method: 'GET', path: '/plants/:plant/leaves/:leaf', statuses, idempotent: true },
} as const;

/** A client of the test operations: `store` may be retried, `add` may not. */
export function createTestClient(options: CallOptions): ClientOf<TestOperations> {
  return createClientOf<TestOperations>(routes, {
    baseUrl: 'https://example.com',
    token: 'pst_a',
    ...options,
  } as ClientOptions);
}

/** What one attempt gets: a response, an error, or nothing at all. */
type Step = Response | Error | 'no response';

/** A `fetch` that takes one step per call, and records when. */
export function scriptFetch(...steps: Step[]) {
  const times: number[] = [];
  const fetch = vi.fn<Fetch>(async (_url, { signal }) => {
    times.push(performance.now());
    const step = steps.shift();
    if (step === undefined) throw new Error('There are no steps left');
    if (step instanceof Error) throw step;
    if (step instanceof Response) return step;
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  return { fetch, times };
}

export const body = { id: 1n };

export const ok = () => Response.json({ name: 'Fern' });

export const errorReply = (status: number, headers?: HeadersInit) =>
  Response.json({ error: status * 100, message: 'No.' }, { status, ...(headers && { headers }) });

/** What `fetch` throws when no connection was made. */
export const refused = new TypeError('fetch failed', {
  cause: Object.assign(new Error('refused'), { syscall: 'connect' }),
});

/** What `fetch` throws when the connection broke. */
export const reset = new TypeError('fetch failed', {
  cause: Object.assign(new Error('reset'), { syscall: 'read' }),
});

/** Lets each test of a file run on fake timers, and checks that it leaves none behind. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      now: Date.UTC(2030, 0, 1),
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    });
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** What a call returns or throws, once all its timers have run. */
export async function resultOf<Result>(call: Promise<Result>): Promise<Result | unknown> {
  const result = call.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return result;
}
