import { NetworkError } from './errors/network-error.js';
import type { Outcome, PlantStoreError } from './errors/plant-store-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions } from './options.js';
import { type RequestParts, writeBody, writeTarget } from './request/write-request.js';
import { type Defaults, resolveOptions } from './resolve-options.js';
import { type ReadReply, readReply } from './response/read-reply.js';
import { explainStatus, isRedirectError } from './response/redirect.js';
import { attempt } from './retry/attempt.js';
import { backoffDelayMs, isRetryableStatus } from './retry/backoff.js';
import { wasNotSent } from './retry/exchange.js';
import { delay, timeoutReason, withTimeout } from './retry/with-timeout.js';
import { isIdempotent, type Route } from './route.js';
import type { TsRestOptions } from './ts-rest-options.js';

/** What a call of any operation may be given. */
export interface AnyRequest extends RequestParts, CallOptions, TsRestOptions {}

/**
 * Calls an operation: repeats the request, as far as that is safe and the options allow, until a reply comes that
 * repeating would not change.
 *
 * @throws {NetworkError | TimeoutError | UnexpectedResponseError} when no reply of the interface came
 * @throws the reason of the caller's signal once that ends, and whatever the caller's own functions throw
 */
export async function call(
  operation: string,
  route: Route,
  defaults: Defaults,
  request: AnyRequest = {},
): Promise<ReadReply> {
  const settings = resolveOptions(defaults, request);
  const { signal, timeoutMs, attemptTimeoutMs, retries, tokens } = settings;
  const { method } = route;
  const url = settings.baseUrl + writeTarget(route, request);
  const body = writeBody(request);

  const endsAt = performance.now() + timeoutMs;
  const leftMs = () => endsAt - performance.now();
  let outcome: Outcome = 'not_sent';
  let failure: PlantStoreError | undefined;
  let renewed = false;
  let repeated = 0;
  const timedOut = (ms: number) =>
    new TimeoutError(`${method} ${url} got no reply in ${ms} ms`, { outcome, cause: failure });
  try {
    signal?.throwIfAborted();
    let authorization = tokens.known ?? (await withTimeout(tokens.get, timeoutMs, signal));
    for (let number = 1; ; number++) {
      const ms = Math.min(attemptTimeoutMs, leftMs());
      if (ms <= 0) throw timeoutReason;
      const before: Outcome = outcome;
      outcome = 'unknown';
      const { reply, error } = await attempt(
        { event: { operation, attempt: number, method, url }, authorization, body },
        settings,
        ms,
      );
      if (!reply) {
        if (isRedirectError(error)) {
          throw new UnexpectedResponseError(explainStatus(0), 0, '', { cause: error });
        }
        const late = error === timeoutReason;
        if (late && ms < attemptTimeoutMs) throw timeoutReason;
        if (wasNotSent(error)) outcome = before;
        failure = late
          ? timedOut(attemptTimeoutMs)
          : new NetworkError(`${method} ${url} got no complete reply`, { outcome, cause: error });
      }

      if (reply?.response.status === 401 && !renewed) {
        renewed = true;
        const refused = authorization;
        authorization = await withTimeout(() => tokens.renew(refused), leftMs(), signal);
        if (authorization !== refused) continue;
      }
      if (isIdempotent(route) && repeated < retries && (!reply || isRetryableStatus(reply.response.status))) {
        const pause = backoffDelayMs(++repeated, reply?.response.headers);
        if (pause < leftMs()) {
          await delay(pause, signal);
          continue;
        }
      }
      if (reply) return readReply(reply, route.statuses);
      throw failure;
    }
  } catch (error) {
    // The reason of the caller's signal may come from another call of a client.
    throw error === timeoutReason && !signal?.aborted ? timedOut(timeoutMs) : error;
  }
}
