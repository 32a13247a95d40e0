import { getEventListeners } from 'node:events';
import { createClient } from '../src/create-client.js';
import type { Fetch } from '../src/options.js';
import {
  type ChaosFault,
  type ChaosServer,
  type FaultName,
  faultHeader,
  faultNames,
  faults,
} from './chaos-server.js';

/** One call to be made, and what happens to it; depends on the seed alone. */
interface Plan {
  readonly seed: number;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** A fixed token, or a source that returns a new one each time, the same one each time, or never one. */
  readonly token: 'fixed' | 'renewed' | 'the same' | 'never';
  /** When the caller's signal is aborted; 0 is before the call. */
  readonly abortAfterMs?: number;
  /** The faults of the attempts in order, more than there can be attempts. */
  readonly script: readonly FaultName[];
}

/** The timeout of a call and of its attempts where the result must not depend on how busy the machine is. */
const longMs = 60_000;

/** The faults after which the next attempt comes soon. */
const promptFaults = faultNames.filter((name) => {
  const { end, retryAfterMs = 0 }: ChaosFault = faults[name];
  return end !== 'silence' && retryAfterMs < 1_000;
});

export function planRun(seed: number): Plan {
  const random = createRandom(seed);
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pick = <Value>(...values: readonly Value[]) => values[integer(0, values.length - 1)] as Value;
  const isLong = random() < 0.3;
  const isAborted = random() < 0.25;
  // Without an abort a long call must not wait long. With one, a timer that is left behind is still running at the end.
  const rest = isLong && !isAborted ? promptFaults : faultNames;
  const often = isLong && isAborted ? '503, again much later' : 'success';
  return {
    seed,
    retries: integer(0, 4),
    timeoutMs: isLong ? longMs : pick(60, 150, 300, 600, 600, 1_000, 1_600),
    attemptTimeoutMs: isLong ? longMs : pick(40, 80, 150, 300),
    token: !isLong && random() < 0.03 ? 'never' : pick('fixed', 'renewed', 'renewed', 'the same'),
    ...(isAborted && { abortAfterMs: integer(0, pick(0, 20, 300)) }),
    script: Array.from({ length: 8 }, () => (random() < 0.2 ? often : pick(...rest))),
  };
}

/** Random numbers from 0 to 1 that depend on a seed alone, by the algorithm known as Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One attempt as seen by the caller's `fetch` and hooks. Times are in milliseconds, of one clock. */
export interface Attempt {
  readonly fault: FaultName;
  readonly authorization: string | null;
  readonly startedAt: number;
  /** Absent when the call ended first. */
  end?: { readonly at: number; readonly status: number | undefined };
}

/** The outcome of a call. */
export interface Run {
  readonly plan: Plan;
  readonly id: string;
  /** Keeps growing if the client goes on after the call has ended. */
  readonly attempts: readonly Attempt[];
  readonly attemptsAtEnd: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** When the signal was aborted, if that was before the call ended. */
  readonly abortedAt: number | undefined;
  readonly abortReason: unknown;
  readonly reply?: Awaited<ReturnType<ReturnType<typeof createClient>['createPlant']>>;
  readonly error?: unknown;
  /** How many listeners are left on the signal. */
  readonly listeners: number;
}

/** Makes the call of a plan. */
export async function runPlan(plan: Plan, { origins }: Pick<ChaosServer, 'origins'>): Promise<Run> {
  const attempts: Attempt[] = [];
  const fetch: Fetch = (url, init) => {
    const fault = plan.script[attempts.length] ?? 'success';
    const headers = new Headers(init.headers);
    attempts.push({ fault, authorization: headers.get('authorization'), startedAt: performance.now() });
    headers.set(faultHeader, fault);
    const target = url.replace(origins.service, origins[faults[fault].listener]);
    return globalThis.fetch(target, { ...init, headers });
  };
  let tokens = 0;
  const client = createClient({
    ...plan,
    baseUrl: origins.service,
    token: {
      fixed: 'pst_fixed',
      renewed: () => `pst_${++tokens}`,
      'the same': () => 'pst_same',
      never: () => new Promise<string>(() => undefined),
    }[plan.token],
    fetch,
    onResponse({ response }) {
      const attempt = attempts.at(-1);
      if (attempt) attempt.end = { at: performance.now(), status: response?.status };
    },
  });

  const control = new AbortController();
  const abortReason = { message: `Aborted by the caller of run ${plan.seed}` };
  let abortedAt: number | undefined;
  const abort = () => {
    abortedAt = performance.now();
    control.abort(abortReason);
  };
  const id = 2n ** 62n + BigInt(plan.seed);
  const startedAt = performance.now();
  if (plan.abortAfterMs === 0) abort();
  const timer = plan.abortAfterMs ? setTimeout(abort, plan.abortAfterMs) : undefined;
  const call = client.createPlant({ body: { id, name: 'Monstera deliciosa' }, signal: control.signal });
  const result = await call.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
  clearTimeout(timer);
  return {
    ...{ plan, id: String(id), attempts, attemptsAtEnd: attempts.length },
    ...{ startedAt, endedAt: performance.now(), abortedAt, abortReason, ...result },
    listeners: getEventListeners(control.signal, 'abort').length,
  };
}
