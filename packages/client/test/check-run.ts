import { NetworkError } from '../src/errors/network-error.js';
import { PlantStoreError } from '../src/errors/plant-store-error.js';
import { TimeoutError } from '../src/errors/timeout-error.js';
import { UnexpectedResponseError } from '../src/errors/unexpected-response-error.js';
import type { PlantRecord } from './chaos-server.js';
import { type ChaosFault, faults } from './faults.js';
import type { Attempt, Run } from './run-plan.js';

/** What a busy machine may add to any time, beyond what passes while the process does not run; speed is not tested here. */
const marginMs = 3_000;
/** The upper limit of the client's random delay before the first retry; it doubles with each retry. */
const firstBackoffMs = 200;

/** The result of a call in a few words. */
export function nameResult({ plan, reply, error, abortedAt, attempts }: Run): string {
  if (reply) return `${reply.status}${reply.replayed ? ' replayed' : ''}`;
  if (error instanceof TimeoutError) {
    const late = error.message.endsWith(` ${plan.timeoutMs} ms`) ? 'the call' : 'the last attempt';
    return `TimeoutError ${error.outcome}, ${late} took too long`;
  }
  if (error instanceof PlantStoreError) return `${error.name} ${error.outcome}`;
  if (abortedAt === undefined) return 'something else';
  const last = attempts.at(-1);
  return `aborted ${last === undefined ? 'before any attempt' : last.end ? 'during a delay' : 'during an attempt'}`;
}

/** The rules that a run violated, each as a sentence. */
export function checkRun(run: Run, record: PlantRecord): string[] {
  const broken = [...checkEnd(run), ...checkStore(run, record), ...checkAttempts(run)];
  if (run.abortedAt === undefined) broken.push(...checkResult(run), ...checkLastAttempt(run));
  return broken;
}

/** The sentences that are true. */
function violationsOf(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(rules).filter((sentence) => rules[sentence]);
}

/** That it ended in time, and nothing goes on afterwards. */
function checkEnd(run: Run): string[] {
  const { plan, ran, abortedAt, abortReason, error } = run;
  return violationsOf({
    'it took longer than its timeout': ran.endedAt - ran.startedAt > plan.timeoutMs + marginMs,
    'an abort did not end it immediately':
      ran.abortedAt !== undefined && ran.endedAt - ran.abortedAt > marginMs,
    "an abort did not end it with the signal's reason": abortedAt !== undefined && error !== abortReason,
    'an attempt was made after it had ended': run.attempts.length !== run.attemptsAtEnd,
    'a listener was left on the signal': run.listeners > 0,
  });
}

/** That what the caller got matches what the server recorded. */
function checkStore({ attempts, reply, error }: Run, { bodies, stored, replays }: PlantRecord): string[] {
  const outcome = error instanceof PlantStoreError ? error.outcome : undefined;
  const neverSent = attempts.every(({ fault }) => fault === 'connection refused');
  return violationsOf({
    'the plant was stored more than once': stored > 1,
    'its requests were not identical': new Set(bodies).size > 1,
    'it was answered with 200 and is not stored': reply?.status === 200 && stored === 0,
    'replayed is not what the server sent':
      reply !== undefined && reply.replayed !== replays.has(reply.requestId ?? ''),
    'the outcome is not_sent and the server received it': outcome === 'not_sent' && bodies.length > 0,
    'the outcome is unknown and no connection was ever made':
      outcome === 'unknown' && neverSent && error instanceof NetworkError,
    // For the client, a connection that is reset immediately may look as if it had never been made.
    'the outcome is not_sent and an attempt was sent':
      outcome === 'not_sent' && attempts.some(({ fault }) => faults[fault].listener === 'service'),
  });
}

/** That each attempt but the last was retryable, and was retried correctly. */
function checkAttempts({ attempts, plan }: Run): string[] {
  const broken = attempts.slice(1).flatMap((next, index) => {
    const previous = attempts[index] ?? next;
    const delayMs = next.startedAt - (previous.end?.at ?? Number.POSITIVE_INFINITY);
    const first401 = attempts.findIndex(was401) === index;
    return violationsOf({
      [`it was retried after ${previous.fault}`]:
        !isRetryable(previous) && !(was401(previous) && first401 && plan.token === 'renewed'),
      'a new token was not used': was401(previous) && next.authorization === previous.authorization,
      // Timers count from the start of the event loop iteration that sets them, which may be a while ago.
      [`it was retried too soon after ${previous.fault}`]: delayMs < (retryAfterMsOf(previous) ?? 0) / 2,
    });
  });
  return [...broken, ...violationsOf({ 'it was retried too often': retriesMade(attempts) > plan.retries })];
}

/** That what was returned or thrown matches the last attempt. */
function checkResult({ attempts, reply, error, plan }: Run): string[] {
  const last = attempts.at(-1);
  const { end, status }: Partial<ChaosFault> = last ? faults[last.fault] : {};
  const text = last?.fault ?? 'no attempt';
  return violationsOf({
    [`it was answered with ${reply?.status} after ${text}`]:
      reply !== undefined && (end !== 'reply' || reply.status !== status),
    'the body is not that of the reply':
      reply !== undefined &&
      (reply.status === 200
        ? reply.body.name !== 'Monstera deliciosa'
        : reply.body.error !== reply.status * 100),
    'what was thrown is none of the three errors': !reply && !isOneOfThree(error),
    [`an UnexpectedResponseError came after ${text}`]:
      error instanceof UnexpectedResponseError && (end !== 'page' || error.status !== status),
    [`a NetworkError came after ${text}`]:
      error instanceof NetworkError && end !== 'refused' && end !== 'broken',
    [`a TimeoutError came after ${text}, which was final`]:
      error instanceof TimeoutError &&
      last?.end?.status !== undefined &&
      !mightRetry(last, attempts, plan) &&
      !mightRenew(last, attempts, plan),
  });
}

/** That it did not end while there was time for a retry. */
function checkLastAttempt({ attempts, plan, startedAt, endedAt, error }: Run): string[] {
  const last = attempts.at(-1);
  if (!last?.end) return [];
  const nextRetry = retriesMade(attempts) + 1;
  // A date has a resolution of seconds, and was computed when the reply was sent.
  const slackMs = last.fault === '503, again at a time' ? 1_000 : 0;
  const maxDelayMs = (retryAfterMsOf(last) ?? firstBackoffMs * 2 ** (nextRetry - 1)) + slackMs;
  return violationsOf({
    [`it gave up after ${last.fault}`]:
      isRetryable(last) && nextRetry <= plan.retries && endedAt - startedAt + maxDelayMs < plan.timeoutMs,
    'it did not request a new token':
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

/** How many attempts were retries, and not made with a new token after a 401. */
function retriesMade(attempts: readonly Attempt[]): number {
  return Math.max(0, attempts.slice(0, -1).filter((attempt) => !was401(attempt)).length);
}

/** Whether the same request may succeed after this attempt. */
function isRetryable({ end }: Attempt): boolean {
  return end !== undefined && (end.status === undefined || [429, 500, 502, 503, 504].includes(end.status));
}

/** Whether the call may have been waiting for a retry. */
function mightRetry(
  last: Attempt,
  attempts: readonly Attempt[],
  { retries, timeoutMs }: Run['plan'],
): boolean {
  return isRetryable(last) && retriesMade(attempts) < retries && (retryAfterMsOf(last) ?? 0) < timeoutMs;
}

/** Whether the call may have been waiting for a new token, or had no time left to use it. */
function mightRenew(last: Attempt, attempts: readonly Attempt[], { token }: Run['plan']): boolean {
  return was401(last) && attempts.filter(was401).length === 1 && ['renewed', 'never'].includes(token);
}

/** The delay that the reply to an attempt asked for, if there was a reply. */
function retryAfterMsOf({ fault, end }: Attempt): number | undefined {
  const { retryAfterMs }: ChaosFault = faults[fault];
  return end?.status === undefined ? undefined : retryAfterMs;
}
