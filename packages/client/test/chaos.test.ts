import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createClient } from '../src/create-client.js';
import { NetworkError } from '../src/errors/network-error.js';
import { PlantStoreError } from '../src/errors/plant-store-error.js';
import { TimeoutError } from '../src/errors/timeout-error.js';
import { UnexpectedResponseError } from '../src/errors/unexpected-response-error.js';
import type { Fetch } from '../src/options.js';
import { type ChaosFault, faultHeader, faultNames, faults, startChaosServer } from './chaos-server.js';

type FaultName = keyof typeof faults;
type ChaosServer = Awaited<ReturnType<typeof startChaosServer>>;

/**
 * Calls of the client over loopback, to a service that injects every kind of fault. The seed of a call decides what
 * happens to it: `CHAOS_SEED=123` makes the call of that seed alone, `CHAOS_RUNS=20000` makes more calls.
 */
const onlySeed = process.env['CHAOS_SEED'];
const runCount = Number(process.env['CHAOS_RUNS'] ?? 600);
const seeds = onlySeed ? [Number(onlySeed)] : Array.from({ length: runCount }, (_, index) => index + 1);
const runsAtATime = 50;

/** All results that a call may have; each must occur. */
const results = [
  '200',
  '200 replayed',
  '400',
  '401',
  '429',
  '500',
  '503',
  'UnexpectedResponseError unknown',
  'NetworkError not_sent',
  'NetworkError unknown',
  'TimeoutError not_sent, the call took too long',
  ...['the call', 'the last attempt'].map((what) => `TimeoutError unknown, ${what} took too long`),
  'aborted before any attempt',
  'aborted during a delay',
  'aborted during an attempt',
];

it('keeps the rules with faults of every kind, and leaves nothing behind', { timeout: 120_000 }, async () => {
  const before = countResources();
  const server = await startChaosServer();
  const runs: Run[] = [];
  const waiting = seeds.map(planRun);
  await Promise.all(
    Array.from({ length: runsAtATime }, async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) runs.push(await runPlan(plan, server));
    }),
  );
  await server.close();

  const broken = runs.flatMap((run) =>
    checkRun(run, server.recordOf(run.id)).map(
      (sentence) => `${sentence} (${nameResult(run)}; run it again with CHAOS_SEED=${run.plan.seed})`,
    ),
  );
  expect(broken).toEqual([]);
  expect(runs).toHaveLength(seeds.length);
  // The call of one seed injects one fault.
  if (onlySeed === undefined) {
    const injected = new Set(runs.flatMap(({ attempts }) => attempts.map(({ fault }) => fault)));
    expect(faultNames.filter((name) => !injected.has(name))).toEqual([]);
    // Whether an error after a rejection occurs depends on how busy the machine is.
    const named = new Set(runs.map(nameResult).filter((name) => !name.endsWith(' rejected')));
    expect([...named].toSorted()).toEqual(results.toSorted());
  }
  // The client's ends of the connections close after the server's. A few belong to the test runner.
  const most = Object.fromEntries(Object.entries(before).map(([name, count]) => [name, count + 4]));
  const tooMany = () => Object.entries(countResources()).filter(([name, count]) => count > (most[name] ?? 4));
  await vi.waitFor(() => expect(tooMany()).toEqual([]), { timeout: 10_000 });
});

/** How many timers and connections keep this process running. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo())
    if (/^(Timeout|TCP)/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The timeout of a call and of its attempts where the result must not depend on how busy the machine is. */
const longMs = 60_000;

/** The faults after which the next attempt comes soon. */
const promptFaults = faultNames.filter((name) => {
  const { end, retryAfterMs = 0 }: ChaosFault = faults[name];
  return end !== 'silence' && retryAfterMs < 1_000;
});

type Plan = ReturnType<typeof planRun>;

/** One call to be made, and what happens to it; depends on the seed alone. */
function planRun(seed: number) {
  const random = createRandom(seed);
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pick = <const Value>(...values: readonly Value[]) => values[integer(0, values.length - 1)] as Value;
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
    // A fixed token, or a source that returns a new one each time, the same one each time, or never one.
    token: !isLong && random() < 0.03 ? pick('never') : pick('fixed', 'renewed', 'renewed', 'the same'),
    // When the caller's signal is aborted; 0 is before the call.
    ...(isAborted && { abortAfterMs: integer(0, pick(0, 20, 300)) }),
    // The faults of the attempts in order, more than there can be attempts.
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
interface Attempt {
  readonly fault: FaultName;
  readonly authorization: string | null;
  readonly startedAt: number;
  /** Absent when the call ended first. */
  end?: { readonly at: number; readonly status: number | undefined };
}

type Run = Awaited<ReturnType<typeof runPlan>>;

/** Makes the call of a plan, and returns its outcome. */
async function runPlan(plan: Plan, { origins }: ChaosServer) {
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
  const [{ value: reply, reason: error }]: [{ value?: Awaited<typeof call>; reason?: unknown }] =
    await Promise.allSettled([call]);
  clearTimeout(timer);
  return {
    // `attempts` keeps growing if the client goes on after the call has ended.
    plan,
    id: String(id),
    attempts,
    attemptsAtEnd: attempts.length,
    startedAt,
    endedAt: performance.now(),
    abortedAt,
    abortReason,
    reply,
    error,
    // How many are left on the signal.
    listeners: getEventListeners(control.signal, 'abort').length,
  };
}

/** What a busy machine may add to any time; speed is not tested here. Less than what the longest `Retry-After` asks for. */
const marginMs = 15_000;
/** The upper limit of the client's random delay before the first retry; it doubles with each retry. */
const firstBackoffMs = 200;

/** The result of a call in a few words. */
function nameResult({ plan, reply, error, abortedAt, attempts }: Run): string {
  if (reply) return `${reply.status}${reply.replayed ? ' replayed' : ''}`;
  if (error instanceof TimeoutError && error.outcome !== 'rejected') {
    const late = error.message.includes(` in ${plan.timeoutMs} ms`) ? 'the call' : 'the last attempt';
    return `TimeoutError ${error.outcome}, ${late} took too long`;
  }
  if (error instanceof PlantStoreError) return `${error.name} ${error.outcome}`;
  if (abortedAt === undefined) return 'something else';
  const last = attempts.at(-1);
  return `aborted ${last === undefined ? 'before any attempt' : last.end ? 'during a delay' : 'during an attempt'}`;
}

/** The rules that a run violated, each as a sentence. */
function checkRun(run: Run, record: ReturnType<ChaosServer['recordOf']>): string[] {
  const broken = [...checkEnd(run, record), ...checkRetries(run)];
  return run.abortedAt === undefined ? [...broken, ...checkResult(run)] : broken;
}

/** The sentences that are true. */
function violationsOf(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(rules).filter((sentence) => rules[sentence]);
}

/** That it ended in time, that nothing goes on afterwards, and that the server recorded what the caller got. */
function checkEnd(run: Run, { bodies, stored, replays }: Parameters<typeof checkRun>[1]): string[] {
  const { plan, attempts, startedAt, endedAt, abortedAt, reply, error } = run;
  const outcome = error instanceof PlantStoreError ? error.outcome : undefined;
  const neverSent = attempts.every(({ fault }) => fault === 'connection refused');
  return violationsOf({
    'it took longer than its timeout': endedAt - startedAt > plan.timeoutMs + marginMs,
    'an abort did not end it immediately': endedAt - (abortedAt ?? endedAt) > marginMs,
    "an abort did not end it with the signal's reason": abortedAt !== undefined && error !== run.abortReason,
    'an attempt was made after it had ended': attempts.length !== run.attemptsAtEnd,
    'a listener was left on the signal': run.listeners > 0,
    'the plant was stored more than once': stored > 1,
    'its requests were not identical': new Set(bodies).size > 1,
    'it was answered with 200 and is not stored': reply?.status === 200 && stored === 0,
    'replayed is not what the server sent':
      reply !== undefined && reply.replayed !== replays.has(reply.requestId ?? ''),
    'the outcome is not_sent and the server received it': outcome === 'not_sent' && bodies.length > 0,
    'the outcome is rejected and the plant is stored': outcome === 'rejected' && stored > 0,
    'the outcome is unknown and no connection was ever made':
      outcome === 'unknown' && neverSent && error instanceof NetworkError,
    // For the client, a connection that is reset immediately may look as if it had never been made.
    'the outcome is not_sent and an attempt was sent':
      outcome === 'not_sent' && attempts.some(({ fault }) => faults[fault].listener === 'service'),
  });
}

/** That each attempt but the last was retryable, and was retried correctly. */
function checkRetries({ attempts, plan }: Run): string[] {
  const broken = attempts.slice(1).flatMap((next, index) => {
    const previous = attempts[index] ?? next;
    const delayMs = next.startedAt - (previous.end?.at ?? Number.POSITIVE_INFINITY);
    const isRenewal = attempts.findIndex(was401) === index && plan.token === 'renewed';
    return violationsOf({
      [`it was retried after ${previous.fault}`]: !isRetryable(previous) && !isRenewal,
      'a new token was not used': was401(previous) && next.authorization === previous.authorization,
      // Timers count from the start of the event loop iteration that sets them, which may be a while ago.
      [`it was retried too soon after ${previous.fault}`]: delayMs < (retryAfterMsOf(previous) ?? 0) / 2,
    });
  });
  return [...broken, ...violationsOf({ 'it was retried too often': retriesMade(attempts) > plan.retries })];
}

/** That what was returned or thrown matches the last attempt, and that there was no time for another one. */
function checkResult({ attempts, plan, reply, error, startedAt, endedAt }: Run): string[] {
  const last = attempts.at(-1);
  const { end, status }: Partial<ChaosFault> = last ? faults[last.fault] : {};
  const text = last?.fault ?? 'no attempt';
  const retries = retriesMade(attempts);
  const askedMs = last && retryAfterMsOf(last);
  const isFirst401 = last !== undefined && was401(last) && attempts.filter(was401).length === 1;
  const mayRetry = last !== undefined && isRetryable(last) && retries < plan.retries;
  const mayRenew = isFirst401 && ['renewed', 'never'].includes(plan.token);
  // A date has a resolution of seconds, and was computed when the reply was sent.
  const slackMs = last?.fault === '503, again at a time' ? 1_000 : 0;
  const maxDelayMs = (askedMs ?? firstBackoffMs * 2 ** retries) + slackMs;
  const bodyMatches =
    reply?.status === 200
      ? reply.body.name === 'Monstera deliciosa'
      : reply?.body.error === Number(status) * 100;
  return violationsOf({
    [`it was answered with ${reply?.status} after ${text}`]:
      reply !== undefined && (end !== 'reply' || reply.status !== status),
    'the body is not that of the reply': reply !== undefined && !bodyMatches,
    'what was thrown is none of the three errors':
      !reply && ![NetworkError, TimeoutError, UnexpectedResponseError].some((type) => error instanceof type),
    [`an UnexpectedResponseError came after ${text}`]:
      error instanceof UnexpectedResponseError && (end !== 'page' || error.status !== status),
    [`a NetworkError came after ${text}`]:
      error instanceof NetworkError && end !== 'refused' && end !== 'broken',
    [`a TimeoutError came after ${text}, which was final`]:
      error instanceof TimeoutError &&
      last?.end?.status !== undefined &&
      !(mayRetry && (askedMs ?? 0) < plan.timeoutMs) &&
      !mayRenew,
    [`it gave up after ${text}`]: mayRetry && endedAt - startedAt + maxDelayMs < plan.timeoutMs,
    'it did not request a new token':
      isFirst401 && plan.token === 'renewed' && !(error instanceof TimeoutError),
  });
}

function was401({ end }: Attempt): boolean {
  return end?.status === 401;
}

/** How many attempts were retries, and not made with a new token after a 401. */
function retriesMade(attempts: readonly Attempt[]): number {
  return attempts.slice(0, -1).filter((attempt) => !was401(attempt)).length;
}

/** Whether the same request may succeed after this attempt. */
function isRetryable({ end }: Attempt): boolean {
  return end !== undefined && (end.status === undefined || [429, 500, 502, 503, 504].includes(end.status));
}

/** The delay that the reply to an attempt asked for, if there was a reply. */
function retryAfterMsOf({ fault, end }: Attempt): number | undefined {
  const { retryAfterMs }: ChaosFault = faults[fault];
  return end?.status === undefined ? undefined : retryAfterMs;
}
