/**
 * Validates a base URL and returns it without a trailing slash. In a browser it can be a path, which is resolved against the page's origin.
 *
 * @throws {TypeError} if it is not an http(s) URL, or has credentials, a query, or a fragment. The message omits the value, which may
 * contain a password.
 */
export function parseBaseUrl(baseUrl: string | URL | undefined): string {
  let href = '';
  try {
    // Inserts the origin before a path. `//example.com` is not a path: it names a host.
    href = new URL(`${baseUrl}`.replace(/^(?=\/(?!\/)|$)/, pageOrigin())).href;
  } catch {}
  // A slash always follows the origin of a normalized URL.
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(href))
    throw new TypeError('baseUrl must be an http(s) URL or path, without user, query, or hash');
  return href.replace(/\/+$/, '');
}

/** Returns the origin of the page or worker. The text is `null` for a file, and `undefined` if there is none. */
export function pageOrigin(): string {
  // Programs that use this client may be compiled without the DOM types.
  return String((globalThis as { readonly location?: { readonly origin: string } }).location?.origin);
}
