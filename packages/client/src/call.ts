import type { Route } from '@plant-store/contract/routes';
import { retryDelayMs } from './backoff.js';
import { type ResolvedOptions, resolveOptions } from './call-options.js';
import { explainOrigin, NetworkError, wasNotSent } from './errors/network-error.js';
import type { Outcome, PlantStoreError } from './errors/plant-store-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions, RequestEvent } from './options.js';
import { type RawReply, type ReadReply, readReply } from './read-reply.js';
import { explainStatus, isRedirectError, redirect } from './redirect.js';
import { delay, timeoutReason, withTimeout } from './timeout.js';
import { type RequestParts, writeBody, writeTarget } from './write-request.js';

/** What a call of any operation may take. */
export interface AnyRequest extends RequestParts, CallOptions {}

/** What the hooks get for every attempt of a call. */
type CallEvent = Pick<RequestEvent, 'operation' | 'method' | 'url'>;

/** The result of the attempts so far, as the errors take it. */
interface Progress {
  outcome: Outcome;
  cause?: PlantStoreError;
}

/**
 * Calls an operation: retries the request, as far as that is safe and the options allow, until there is a reply that
 * a retry would not change.
 *
 * @throws {NetworkError | TimeoutError | UnexpectedResponseError} when there is no reply that the API defines
 * @throws the reason of the caller's signal once that is aborted, and whatever the caller's own functions throw
 */
export async function call(
  operation: string,
  route: Route,
  defaults: ResolvedOptions,
  request: AnyRequest = {},
): Promise<ReadReply> {
  const options = resolveOptions(defaults, request);
  const { signal, timeoutMs = 30_000 } = options;
  const event = { operation, method: route.method, url: options.baseUrl + writeTarget(route, request) };
  const body = writeBody(request);
  const progress: Progress = { outcome: 'not_sent' };
  try {
    return await attemptUntilFinal(route, event, body, options, progress);
  } catch (error) {
    // The reason of the caller's signal may come from another call of a client.
    throw error === timeoutReason && !signal?.aborted ? timedOut(event, timeoutMs, progress) : error;
  }
}

/**
 * Makes attempts until one is final.
 *
 * @throws `timeoutReason` when the call runs out of time
 */
async function attemptUntilFinal(
  route: Route,
  event: CallEvent,
  body: string | undefined,
  options: ResolvedOptions,
  progress: Progress,
): Promise<ReadReply> {
  const { signal, timeoutMs = 30_000, attemptTimeoutMs = 10_000, tokens } = options;
  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => deadline - performance.now();
  let authorization = await withTimeout(tokens.get, timeoutMs, signal);
  let rejected: string | undefined;
  let retries = 0;
  for (let number = 1; ; number++) {
    const ms = Math.min(attemptTimeoutMs, remainingMs());
    if (ms <= 0) throw timeoutReason;
    const { reply, error } = await attempt({ ...event, attempt: number }, authorization, body, options, ms);
    if (!wasNotSent(error)) progress.outcome = 'unknown';
    if (!reply) {
      if (isRedirectError(error)) {
        throw new UnexpectedResponseError(explainStatus(0), 0, '', { cause: error });
      }
      if (error === timeoutReason && ms < attemptTimeoutMs) throw error;
      progress.cause =
        error === timeoutReason
          ? timedOut(event, attemptTimeoutMs, progress)
          : brokenOff(event, error, progress);
    }
    if (reply?.response.status === 401 && !rejected) {
      rejected = authorization;
      authorization = await withTimeout(() => tokens.renew(authorization), remainingMs(), signal);
      if (authorization !== rejected) continue;
    }
    const delayMs =
      retries < (options.retries ?? 2) ? retryDelayMs(route, ++retries, reply?.response) : Infinity;
    if (delayMs < remainingMs()) await delay(delayMs, signal);
    else if (reply) return readReply(reply, route.statuses);
    else throw progress.cause;
  }
}

function timedOut({ method, url }: CallEvent, ms: number, progress: Progress): TimeoutError {
  return new TimeoutError(`${method} ${url} got no reply in ${ms} ms`, progress);
}

function brokenOff({ method, url }: CallEvent, cause: unknown, progress: Progress): NetworkError {
  return new NetworkError(`${method} ${url} got no complete reply${explainOrigin(url)}`, {
    ...progress,
    cause,
  });
}

/** The outcome of an attempt: a reply, or why there is none. */
interface AttemptResult {
  readonly reply?: RawReply | undefined;
  readonly error?: unknown;
}

/**
 * Sends a request once and reads its whole response, within some milliseconds. The hooks get `event`.
 *
 * @throws the reason of the caller's signal when that is aborted first, and whatever the hooks throw
 */
async function attempt(
  event: Omit<RequestEvent, 'headers'>,
  authorization: string,
  body: string | undefined,
  { fetch = globalThis.fetch, fetchOptions, headers: fixed, onRequest, onResponse, signal }: ResolvedOptions,
  ms: number,
): Promise<AttemptResult> {
  const headers = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...fixed,
  };
  onRequest?.({ ...event, headers });
  const startedAt = performance.now();
  const { reply, error }: AttemptResult = await withTimeout(
    async (ended) => {
      const response = await fetch(event.url, {
        redirect,
        ...fetchOptions,
        method: event.method,
        headers: { ...headers, authorization },
        body,
        signal: ended,
      } as RequestInit);
      return { response, text: await response.text() };
    },
    ms,
    signal,
  ).then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
  signal?.throwIfAborted();
  onResponse?.({
    ...event,
    durationMs: performance.now() - startedAt,
    response: reply?.response,
    error,
  });
  return { reply, error };
}
