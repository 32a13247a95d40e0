import { NetworkError } from '../src/errors/network-error.js';
import { PlantStoreError } from '../src/errors/plant-store-error.js';
import { TimeoutError } from '../src/errors/timeout-error.js';
import { UnexpectedResponseError } from '../src/errors/unexpected-response-error.js';
import type { Attempt, Run } from './chaos-run.js';
import { type ChaosFault, faults, type PlantRecord } from './chaos-server.js';

/** What a busy machine may add to any time; speed is not tested here. Less than what the longest `Retry-After` asks for. */
const marginMs = 15_000;
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
  const broken = [...checkEnd(run, record), ...checkRetries(run)];
  return run.abortedAt === undefined ? [...broken, ...checkResult(run)] : broken;
}

/** The sentences that are true. */
function violationsOf(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(rules).filter((sentence) => rules[sentence]);
}

/** That it ended in time, that nothing goes on afterwards, and that the server recorded what the caller got. */
function checkEnd(run: Run, { bodies, stored, replays }: PlantRecord): string[] {
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
