import type { RequestEvent } from '../options.js';
import type { ResolvedOptions } from '../resolve-options.js';
import { redirect } from '../response/redirect.js';
import { exchange, type RawReply } from './exchange.js';
import { withTimeout } from './with-timeout.js';

/** One request as it is to be sent. */
export interface AttemptRequest {
  /** What the hooks are told of it. */
  readonly event: Omit<RequestEvent, 'headers'>;
  readonly authorization: string;
  readonly body: string | undefined;
}

/** What came of an attempt: a reply, or why there is none. */
export interface AttemptResult {
  readonly reply: RawReply | undefined;
  readonly error: unknown;
}

/**
 * Sends a request once and reads its response whole, for as long as it may take, in milliseconds.
 *
 * @throws the reason of the caller's signal when that ends first; and what the hooks throw
 */
export async function attempt(
  { event, authorization, body }: AttemptRequest,
  { fetch, fetchOptions, headers: fixed, onRequest, onResponse, signal }: ResolvedOptions,
  ms: number,
): Promise<AttemptResult> {
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...fixed,
  };
  onRequest?.({ ...event, headers });
  const init = {
    redirect,
    ...fetchOptions,
    method: event.method,
    headers: { ...headers, authorization },
    body,
  } as RequestInit;
  const startedAt = performance.now();
  let reply: RawReply | undefined;
  let error: unknown;
  try {
    reply = await withTimeout((ended) => exchange(fetch, event.url, { ...init, signal: ended }), ms, signal);
  } catch (fault) {
    error = fault;
  }
  signal?.throwIfAborted();
  onResponse?.({
    ...event,
    durationMs: performance.now() - startedAt,
    response: reply?.response,
    error,
  });
  return { reply, error };
}
