import { getEventListeners } from 'node:events';
import { createClient } from '../src/create-client.js';
import type { Fetch } from '../src/options.js';
import { type ChaosServer, faultHeader } from './chaos-server.js';
import { type FaultName, faults } from './faults.js';
import type { Plan } from './plan-run.js';
import type { RunningClock } from './running-clock.js';

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
  /** The same times of a clock that runs only while this process does. */
  readonly ran: {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly abortedAt: number | undefined;
  };
  readonly abortReason: unknown;
  readonly reply?: Awaited<ReturnType<ReturnType<typeof createClient>['createPlant']>>;
  readonly error?: unknown;
  /** How many listeners are left on the signal. */
  readonly listeners: number;
}

/** Makes the call of a plan. */
export async function runPlan(
  plan: Plan,
  { origins }: Pick<ChaosServer, 'origins'>,
  clock: RunningClock,
): Promise<Run> {
  const attempts: Attempt[] = [];
  const fetch: Fetch = (url, init) => {
    const fault = plan.script[attempts.length] ?? 'success';
    const headers = new Headers(init.headers);
    attempts.push({ fault, authorization: headers.get('authorization'), startedAt: performance.now() });
    headers.set(faultHeader, fault);
    return globalThis.fetch(url.replace(origins.service, origins[faults[fault].listener]), {
      ...init,
      headers,
    });
  };
  const client = createClient({
    baseUrl: origins.service,
    token: tokenOf(plan),
    fetch,
    retries: plan.retries,
    timeoutMs: plan.timeoutMs,
    attemptTimeoutMs: plan.attemptTimeoutMs,
    onResponse({ response }) {
      const attempt = attempts.at(-1);
      if (attempt) attempt.end = { at: performance.now(), status: response?.status };
    },
  });

  const control = new AbortController();
  const abortReason = { message: `Aborted by the caller of run ${plan.seed}` };
  let abortedAt: number | undefined;
  let abortRanAt: number | undefined;
  const abort = () => {
    abortedAt = performance.now();
    abortRanAt = clock.now();
    control.abort(abortReason);
  };
  const id = 2n ** 62n + BigInt(plan.seed);
  const startedAt = performance.now();
  const startRanAt = clock.now();
  if (plan.abortAfterMs === 0) abort();
  const timer = plan.abortAfterMs ? setTimeout(abort, plan.abortAfterMs) : undefined;
  const result = await client
    .createPlant({ body: { id, name: 'Monstera deliciosa' }, signal: control.signal })
    .then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error }),
    );
  clearTimeout(timer);
  return {
    plan,
    id: String(id),
    attempts,
    attemptsAtEnd: attempts.length,
    startedAt,
    endedAt: performance.now(),
    abortedAt,
    ran: { startedAt: startRanAt, endedAt: clock.now(), abortedAt: abortRanAt },
    abortReason,
    ...result,
    listeners: getEventListeners(control.signal, 'abort').length,
  };
}

function tokenOf({ token }: Plan): string | (() => string | Promise<string>) {
  let requested = 0;
  switch (token) {
    case 'fixed':
      return 'pst_fixed';
    case 'renewed':
      return () => `pst_${++requested}`;
    case 'the same':
      return () => 'pst_same';
    case 'never':
      return () => new Promise(() => undefined);
  }
}
