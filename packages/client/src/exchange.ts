/** The part of `fetch` that the client uses; the global `fetch` is one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A response with its body read to the end, not yet understood. */
export interface RawReply {
  readonly response: Response;
  readonly text: string;
}

/** Sends one request and reads the whole response, whatever it says. */
export async function exchange(fetch: Fetch, url: string, init: RequestInit): Promise<RawReply> {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}

/** What the runtimes say when no connection was made: the system call or the code of the error. */
const unconnected = /^(connect|getaddrinfo|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** Whether what `fetch` threw shows that no connection was made, so that nothing was sent. */
export function wasNotSent(error: unknown): boolean {
  const { syscall, code, errors, cause } = Object(error);
  // Node.js tries the addresses of a name one after the other, and tells of all.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNotSent);
  return unconnected.test(syscall) || unconnected.test(code) || (cause !== undefined && wasNotSent(cause));
}
