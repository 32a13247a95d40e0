import type { RequestEvent } from '../options.js';
import type { RawReply } from '../response/read-reply.js';
import { redirect } from '../response/redirect.js';
import { withTimeout } from '../timing/with-timeout.js';
import { exchange } from './exchange.js';
import type { ResolvedOptions } from './resolve-options.js';

/** The outcome of an attempt: a reply, or why there is none. */
export interface AttemptResult {
  readonly reply: RawReply | undefined;
  readonly error: unknown;
}

/**
 * Sends a request once and reads its whole response, within some milliseconds. The hooks get `event`.
 *
 * @throws the reason of the caller's signal when that is aborted first, and whatever the hooks throw
 */
export async function attempt(
  event: Omit<RequestEvent, 'headers'>,
  authorization: string,
  body: string | undefined,
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
  } catch (thrown) {
    error = thrown;
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
