import { NetworkError } from '../src/errors/network-error.js';
import { PlantStoreError } from '../src/errors/plant-store-error.js';
import { TimeoutError } from '../src/errors/timeout-error.js';
import { UnexpectedResponseError } from '../src/errors/unexpected-response-error.js';
import type { Visits } from './chaos-server.js';
import { type Fault, faults } from './faults.js';
import type { Attempt, Run } from './run-plan.js';

/** What a busy machine may add to any time: these are no tests of its speed. */
const marginMs = 3_000;
/** What is certainly more than the random pauses of the client before the first repetition, which then double. */
const firstPauseMs = 200;

/** What a call came to, in a few words. */
export function nameResult({ plan, reply, error, abortedAt, attempts }: Run): string {
  if (reply) return `${reply.status}${reply.replayed ? ' replayed' : ''}`;
  if (error instanceof TimeoutError) {
    const late = error.message.endsWith(` ${plan.timeoutMs} ms`) ? 'the call' : 'the last attempt';
    return `TimeoutError ${error.outcome}, ${late} took too long`;
  }
  if (error instanceof PlantStoreError) return `${error.name} ${error.outcome}`;
  if (abortedAt === undefined) return 'something else';
  const last = attempts.at(-1);
  return `aborted ${last === undefined ? 'before any attempt' : last.end ? 'in a pause' : 'in an attempt'}`;
}

/** The rules that a run broke, each as a sentence. */
export function judgeRun(run: Run, visits: Visits): string[] {
  const broken = [...judgeEnd(run), ...judgeStore(run, visits), ...judgeAttempts(run)];
  if (run.abortedAt === undefined) broken.push(...judgeResult(run), ...judgeLastAttempt(run));
  return broken;
}

/** Keeps those sentences that are true. */
function complaints(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(rules).filter((sentence) => rules[sentence]);
}

/** When it ended, and that nothing goes on. */
function judgeEnd(run: Run): string[] {
  const { plan, startedAt, settledAt, abortedAt, abortReason, error } = run;
  return complaints({
    'it took longer than its time': settledAt - startedAt > plan.timeoutMs + marginMs,
    'an abort did not end it at once': abortedAt !== undefined && settledAt - abortedAt > marginMs,
    "an abort did not end it with the signal's reason": abortedAt !== undefined && error !== abortReason,
    'an attempt was made after it had settled': run.attempts.length !== run.attemptsWhenSettled,
    'a listener was left on the signal': run.listeners > 0,
  });
}

/** What the server knows against what the caller was told. */
function judgeStore({ attempts, reply, error }: Run, { bodies, stored, replays }: Visits): string[] {
  const outcome = error instanceof PlantStoreError ? error.outcome : undefined;
  const neverSent = attempts.every(({ fault }) => fault === 'connection refused');
  return complaints({
    'the plant was stored more than once': stored > 1,
    'its requests were not all the same': new Set(bodies).size > 1,
    'it was answered with 200 and is not stored': reply?.status === 200 && stored === 0,
    'replayed is not what the server said':
      reply !== undefined && reply.replayed !== replays.has(reply.requestId ?? ''),
    'the outcome is not_sent and the server had it': outcome === 'not_sent' && bodies.length > 0,
    'the outcome is unknown and no connection was ever made':
      outcome === 'unknown' && neverSent && error instanceof NetworkError,
    // A connection that is reset at once may never have been made as far as the client can tell.
    'the outcome is not_sent and an attempt was sent':
      outcome === 'not_sent' && attempts.some(({ fault }) => faults[fault].door === 'open'),
  });
}

/** That each attempt but the last was worth repeating, and was repeated as it should be. */
function judgeAttempts({ attempts, plan }: Run): string[] {
  const broken = attempts.slice(1).flatMap((next, index) => {
    const previous = attempts[index] ?? next;
    const pausedMs = next.startedAt - (previous.end?.at ?? Number.POSITIVE_INFINITY);
    const first401 = attempts.findIndex(was401) === index;
    return complaints({
      [`it was repeated after ${previous.fault}`]:
        !mayRepeat(previous) && !(was401(previous) && first401 && plan.token === 'renewed'),
      'a new token was not used': was401(previous) && next.authorization === previous.authorization,
      // Timers count from the start of the turn that sets them, which may be a while ago.
      [`it was repeated too soon after ${previous.fault}`]: pausedMs < (retryAfterMsOf(previous) ?? 0) / 2,
    });
  });
  return [...broken, ...complaints({ 'it was repeated too often': repetitions(attempts) > plan.retries })];
}

/** That what was returned or thrown is what the last attempt met. */
function judgeResult({ attempts, reply, error, plan }: Run): string[] {
  const last = attempts.at(-1);
  const { end, status }: Partial<Fault> = last ? faults[last.fault] : {};
  const text = last?.fault ?? 'no attempt';
  return complaints({
    [`it was answered with ${reply?.status} after ${text}`]:
      reply !== undefined && (end !== 'reply' || reply.status !== status),
    'the body is not that of the reply':
      reply !== undefined &&
      (reply.status === 200
        ? reply.body.name !== 'Monstera deliciosa'
        : reply.body.error !== reply.status * 100),
    'what is thrown is none of the three errors': !reply && !isOneOfThree(error),
    [`an UnexpectedResponseError came after ${text}`]:
      error instanceof UnexpectedResponseError && (end !== 'page' || error.status !== status),
    [`a NetworkError came after ${text}`]:
      error instanceof NetworkError && end !== 'refused' && end !== 'broken',
    [`a TimeoutError came after ${text}, which was the end`]:
      error instanceof TimeoutError &&
      last?.end?.status !== undefined &&
      !mightRepeat(last, attempts, plan) &&
      !mightRenew(last, attempts, plan),
  });
}

/** That it did not end while there was time to try again. */
function judgeLastAttempt({ attempts, plan, startedAt, settledAt, error }: Run): string[] {
  const last = attempts.at(-1);
  if (!last?.end) return [];
  const repetition = repetitions(attempts) + 1;
  // A date has whole seconds only, and counts from when it was written.
  const slackMs = last.fault === '503, again at a time' ? 1_000 : 0;
  const longestPauseMs = (retryAfterMsOf(last) ?? firstPauseMs * 2 ** (repetition - 1)) + slackMs;
  return complaints({
    [`it gave up after ${last.fault}`]:
      mayRepeat(last) &&
      repetition <= plan.retries &&
      settledAt - startedAt + longestPauseMs < plan.timeoutMs,
    'it did not ask for a new token':
      was401(last) &&
      attempts.filter(was401).length === 1 &&
      plan.token === 'renewed' &&
      !(error instanceof TimeoutError),
  });
}

function isOneOfThree(error: unknown): boolean {
  return [NetworkError, TimeoutError, UnexpectedResponseError].some((type) => error instanceof type);
}

function was401({ end }: Attempt): boolean {
  return end?.status === 401;
}

/** How many attempts were made because one before had failed, and not for a new token. */
function repetitions(attempts: readonly Attempt[]): number {
  return Math.max(0, attempts.slice(0, -1).filter((attempt) => !was401(attempt)).length);
}

/** Whether the same request may fare better after this one. */
function mayRepeat({ end }: Attempt): boolean {
  return end !== undefined && (end.status === undefined || [429, 500, 502, 503, 504].includes(end.status));
}

/** Whether there may have been a pause for a further attempt. */
function mightRepeat(
  last: Attempt,
  attempts: readonly Attempt[],
  { retries, timeoutMs }: Run['plan'],
): boolean {
  return mayRepeat(last) && repetitions(attempts) < retries && (retryAfterMsOf(last) ?? 0) < timeoutMs;
}

/** Whether there may have been a wait for a new token, or no time left to use it. */
function mightRenew(last: Attempt, attempts: readonly Attempt[], { token }: Run['plan']): boolean {
  return was401(last) && attempts.filter(was401).length === 1 && ['renewed', 'never'].includes(token);
}

/** What the reply to an attempt asked for, if there was one. */
function retryAfterMsOf({ fault, end }: Attempt): number | undefined {
  const { retryAfterMs }: Fault = faults[fault];
  return end?.status === undefined ? undefined : retryAfterMs;
}
