import { exchange, type RawReply } from './exchange.js';
import type { RequestEvent } from './options.js';
import type { Settings } from './settings.js';
import { waitFor } from './wait-for.js';

/** One request as it is to be sent. */
export interface AttemptRequest {
  /** What the hooks are told of it. */
  readonly event: Omit<RequestEvent, 'headers'>;
  readonly authorization: string;
  readonly body: string | undefined;
}

/** What came of an attempt: a response, or why there is none. */
export type AttemptResult =
  | { readonly reply: RawReply; readonly error?: never }
  | { readonly reply?: never; readonly error: unknown };

/**
 * Sends a request once and reads its response whole, for as long as it may take, in milliseconds.
 *
 * @throws the reason of the caller's signal when that ends first; and what the hooks throw
 */
export async function attempt(
  { event, authorization, body }: AttemptRequest,
  { fetch, fetchOptions, headers: fixed, onRequest, onResponse, signal }: Settings,
  ms: number,
): Promise<AttemptResult> {
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...fixed,
  };
  onRequest?.({ ...event, headers });
  const control = new AbortController();
  const init = {
    ...fetchOptions,
    method: event.method,
    headers: { ...headers, authorization },
    body,
    signal: control.signal,
  } as RequestInit;
  const startedAt = performance.now();
  let result: AttemptResult;
  try {
    const reply = await waitFor(
      () => exchange(fetch, event.url, init),
      ms,
      signal,
      (reason) => control.abort(reason),
    );
    result = { reply };
  } catch (error) {
    result = { error };
  }
  signal?.throwIfAborted();
  onResponse?.({
    ...event,
    durationMs: performance.now() - startedAt,
    response: result.reply?.response,
    error: result.error,
  });
  return result;
}
