import type { Route } from '@plant-store/contract/routes';
import { retryDelayMs } from './backoff.js';
import { type ResolvedOptions, resolveOptions } from './call-options.js';
import type { OperationName } from './client.js';
import { explainOrigin, NetworkError, wasNotSent } from './errors/network-error.js';
import type { PlantStoreError, RequestSummary } from './errors/plant-store-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions } from './options.js';
import { type Reply, readReply } from './read-reply.js';
import { explainStatus, isRedirectError, redirect } from './redirect.js';
import { delay, timeoutReason, withTimeout } from './timeout.js';
import { type RequestParts, writeBody, writeTarget } from './write-request.js';

/** The request of a call of any operation. */
export interface AnyRequest extends RequestParts, CallOptions {}

/** The request, and what is known about it so far. */
type Progress = { -readonly [Name in keyof RequestSummary]: RequestSummary[Name] };

/**
 * Calls an operation: retries the request, as far as that is safe and the options allow, until there is a reply that
 * a retry would not change.
 *
 * @throws {NetworkError | TimeoutError | UnexpectedResponseError} when there is no reply that the API defines
 * @throws {RangeError | TypeError} when the request cannot be written; nothing is sent
 * @throws the reason of the caller's signal once that is aborted, and whatever the caller's own functions throw
 */
export async function call(
  operation: string,
  route: Route,
  defaults: ResolvedOptions,
  request: AnyRequest = {},
): Promise<Reply> {
  const options = resolveOptions(defaults, request);
  const {
    signal,
    timeoutMs = 30_000,
    attemptTimeoutMs = 10_000,
    retries = 2,
    fetch = globalThis.fetch,
  } = options;
  const { method } = route;
  const url = options.baseUrl + writeTarget(route, request);
  const body = writeBody(request);
  const { ifMatch } = request;
  const etag = ifMatch?.etag;
  // A condition that an untyped program has lost, such as `null`, must not become an unconditional request.
  if (ifMatch !== undefined && !etag) throw new TypeError('ifMatch has no ETag');
  const ownHeaders = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...options.headers,
    ...(etag && { 'if-match': etag }),
  };
  const progress: Progress = { method, url: url.replace(/\?.*/, ''), requestId: null, outcome: 'not_sent' };
  /** The error of the last attempt without a reply. */
  let failure: PlantStoreError | undefined;
  const timedOut = (ms: number) => new TimeoutError(progress, `no reply in ${ms} ms`, failure);

  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => Math.max(0, deadline - performance.now());
  const inTime = <Result>(work: (ended: AbortSignal) => Promise<Result>) =>
    withTimeout(work, remainingMs(), signal);

  try {
    let authorization = await inTime(options.authorize);
    let rejected: string | undefined;
    let retry = 0;
    for (let attempt = 1; ; attempt++) {
      const event = { operation, method, url, attempt };
      const headers = { ...ownHeaders };
      await inTime(async () => options.onRequest?.({ ...event, headers }));
      const startedAt = performance.now();
      const ms = Math.min(attemptTimeoutMs, remainingMs());
      if (!ms) throw timeoutReason;

      let response = undefined as Response | undefined;
      let text = undefined as string | undefined;
      let error: unknown;
      const send = async (ended: AbortSignal) => {
        response = await fetch(url, {
          redirect,
          ...options.fetchOptions,
          method,
          headers: { ...headers, authorization },
          body,
          signal: ended,
        } as RequestInit);
        text = await response.text();
      };
      await withTimeout(send, ms, signal).catch((thrown: unknown) => {
        error = thrown;
      });
      const reply = text === undefined ? undefined : response;
      progress.status = response?.status;
      progress.requestId = response?.headers.get('x-request-id') ?? null;
      if (!wasNotSent(error))
        progress.outcome =
          progress.outcome !== 'unknown' && /^4/.test(`${progress.status}`) ? 'rejected' : 'unknown';

      const durationMs = performance.now() - startedAt;
      await inTime(async () => options.onResponse?.({ ...event, durationMs, response: reply, error }));
      if (!reply) {
        if (isRedirectError(error))
          throw new UnexpectedResponseError({ ...progress, status: 0 }, explainStatus(0), error);
        if (error !== timeoutReason)
          failure = new NetworkError(progress, `no complete reply${explainOrigin(url)}`, error);
        else if (ms < attemptTimeoutMs) throw error;
        else failure = timedOut(ms);
      }
      if (reply?.status === 401 && !rejected) {
        rejected = authorization;
        authorization = await inTime((ended) => options.authorize(ended, rejected));
        if (authorization !== rejected) continue;
      }
      const delayMs = retry < retries ? retryDelayMs(route, ++retry, reply) : Infinity;
      if (delayMs < remainingMs()) await delay(delayMs, signal);
      else if (reply)
        return await inTime(() =>
          readReply(reply, `${text}`, route, progress, (read) =>
            options.validate?.(operation as OperationName, read),
          ),
        );
      else throw failure;
    }
  } catch (error) {
    // The reason of the caller's signal may come from another call of a client.
    throw error === timeoutReason && !signal?.aborted ? timedOut(timeoutMs) : error;
  }
}
