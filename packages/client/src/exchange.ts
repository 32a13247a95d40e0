import { NetworkError } from './errors/network-error.js';

/** The part of `fetch` that the client uses; the global `fetch` is one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A response with its body read to the end, not yet understood. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends one request and reads the whole response, whatever it says.
 *
 * @throws {NetworkError} when no complete response came. An abort passes through unchanged.
 */
export async function exchange(fetch: Fetch, url: string, init: RequestInit): Promise<RawReply> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new NetworkError(`${init.method} ${url} got no complete reply`, { cause: error });
  }
}

/** Whether the caller gave up: `AbortSignal.abort` and `AbortSignal.timeout` reject with these names. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
