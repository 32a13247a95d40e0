import type { Route } from '@plant-store/contract/routes';
import { retryDelayMs } from './backoff.js';
import type { OperationName } from './client.js';
import { explainOrigin, NetworkError, wasNotSent } from './errors/network-error.js';
import type { PlantStoreError, RequestSummary } from './errors/plant-store-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions } from './options.js';
import { type Reply, readReply } from './read-reply.js';
import { explainStatus, isRedirectError, redirect } from './redirect.js';
import { type ResolvedOptions, resolveOptions } from './resolve-options.js';
import { delay, timeoutReason, withTimeout } from './timeout.js';
import { type RequestParts, writeBody, writeTarget } from './write-request.js';

/** The request of a call of any operation. */
export interface AnyRequest extends RequestParts, CallOptions {}

/** The request summary in errors, updated with each attempt. */
type Progress = { -readonly [Name in keyof RequestSummary]: RequestSummary[Name] };

/**
 * Calls an operation. Retries the request, if that is safe and the options permit it, until there is a reply that a retry would not change.
 *
 * @throws {NetworkError | TimeoutError | UnexpectedResponseError} when there is no reply that the API defines
 * @throws {RangeError | TypeError} when the request cannot be written. Nothing is sent.
 * @throws the reason of the caller's signal once it is aborted, and the errors of the caller's functions
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
  // If an untyped program passes `null` as the condition, the request must not become unconditional.
  if (ifMatch !== undefined && !etag) throw new TypeError('ifMatch has no ETag');
  const baseHeaders = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...options.headers,
    ...(etag && { 'if-match': etag }),
  };
  const progress: Progress = { method, url: url.replace(/\?.*/, ''), requestId: null, outcome: 'not_sent' };
  /** The error of the last attempt without a reply. */
  let failure: PlantStoreError | undefined;
  const createTimeoutError = (ms: number) => new TimeoutError(progress, `no reply in ${ms} ms`, failure);

  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => Math.max(0, deadline - performance.now());
  const withinDeadline = <Result>(work: (ended: AbortSignal) => Promise<Result>) =>
    withTimeout(work, remainingMs(), signal);

  try {
    let authorization = await withinDeadline(options.authorize);
    let rejectedAuthorization: string | undefined;
    let retry = 0;
    for (let attempt = 1; ; attempt++) {
      const event = { operation, method, url, attempt };
      const headers = { ...baseHeaders };
      await withinDeadline(async () => options.onRequest?.({ ...event, headers }));
      const startedAt = performance.now();
      const attemptMs = Math.min(attemptTimeoutMs, remainingMs());
      if (!attemptMs) throw timeoutReason;

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
      await withTimeout(send, attemptMs, signal).catch((thrown: unknown) => {
        error = thrown;
      });
      /** The response, if its body was read completely. */
      const complete = text === undefined ? undefined : response;
      progress.status = response?.status;
      progress.requestId = response?.headers.get('x-request-id') ?? null;
      if (!wasNotSent(error))
        progress.outcome =
          progress.outcome !== 'unknown' && /^4/.test(`${progress.status}`) ? 'rejected' : 'unknown';

      const durationMs = performance.now() - startedAt;
      await withinDeadline(async () =>
        options.onResponse?.({ ...event, durationMs, response: complete, error }),
      );
      if (!complete) {
        if (isRedirectError(error))
          throw new UnexpectedResponseError({ ...progress, status: 0 }, explainStatus(0), error);
        if (error !== timeoutReason)
          failure = new NetworkError(progress, `no complete reply${explainOrigin(url)}`, error);
        else if (attemptMs < attemptTimeoutMs) throw error;
        else failure = createTimeoutError(attemptMs);
      }
      if (complete?.status === 401 && !rejectedAuthorization) {
        rejectedAuthorization = authorization;
        authorization = await withinDeadline((ended) => options.authorize(ended, rejectedAuthorization));
        if (authorization !== rejectedAuthorization) continue;
      }
      const delayMs = retry < retries ? retryDelayMs(route, ++retry, complete) : Infinity;
      if (delayMs < remainingMs()) await delay(delayMs, signal);
      else if (complete)
        return await withinDeadline(() =>
          readReply(complete, `${text}`, route, progress, (reply) =>
            options.validate?.(operation as OperationName, reply),
          ),
        );
      else throw failure;
    }
  } catch (error) {
    // The caller's signal may have been aborted with the `timeoutReason` of another call.
    throw error === timeoutReason && !signal?.aborted ? createTimeoutError(timeoutMs) : error;
  }
}
