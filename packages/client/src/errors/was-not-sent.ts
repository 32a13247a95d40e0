/**
 * Whether the system call or code of what `fetch` threw shows that no connection was made, so that nothing was sent.
 * Always `false` in browsers and Cloudflare Workers, which throw the same error for every network failure.
 */
export function wasNotSent(error: unknown): boolean {
  const { syscall, code, errors, cause } = Object(error);
  // Node.js tries all addresses of a name, and reports an error for each.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNotSent);
  // The first two are system calls in Node.js; the others are error codes, of undici and, in several spellings, of Bun.
  const unconnected = /^(connect|getaddrinfo) |CONNECT_TIMEOUT$|CONN.*REFUSED$/i;
  return unconnected.test(`${syscall} ${code}`) || (cause !== undefined && wasNotSent(cause));
}
