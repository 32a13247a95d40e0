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

/**
 * Whether what `fetch` threw shows that no connection was made, so that nothing was sent: by the system call or the code
 * of an error. Browsers and Cloudflare Workers throw the same for any failure of the network, so there it never does.
 */
export function wasNotSent(error: unknown): boolean {
  const { syscall, code, errors, cause } = Object(error);
  // Node.js tries the addresses of a name one after the other, and tells of all.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNotSent);
  // Node.js has the first two as system calls, undici the third and Bun the last, in several notations, as codes.
  const unconnected = /^(connect|getaddrinfo) |CONNECT_TIMEOUT$|CONN.*REFUSED$/i;
  return unconnected.test(`${syscall} ${code}`) || (cause !== undefined && wasNotSent(cause));
}
