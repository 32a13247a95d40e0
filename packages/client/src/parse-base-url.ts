/**
 * Validates a base URL and returns it without a trailing slash, so that a route's path can be appended. In a browser, a path is relative to
 * the page's origin.
 *
 * @throws {TypeError} unless it is an http or https URL without credentials, query and fragment: an absolute one where there
 * is no page. The message does not quote the value, which may contain a password.
 */
export function parseBaseUrl(baseUrl: string | URL | undefined): string {
  let href = '';
  try {
    // Only '' and what begins with one slash is a path: `example.com` and `//example.com` are mistaken for a host.
    href = new URL(`${baseUrl}`.replace(/^(?![^/]|\/\/)/, pageOrigin())).href;
  } catch {}
  // In a normalized URL the origin always ends with a slash.
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(href)) {
    throw new TypeError('baseUrl must be an http(s) URL or a path, without user or query');
  }
  return href.replace(/\/+$/, '');
}

/** The origin of the page or worker, as text: `null` for a file, `undefined` if there is none. */
export function pageOrigin(): string {
  // Not every program that uses this client is compiled with the DOM types.
  return String((globalThis as { readonly location?: { readonly origin: string } }).location?.origin);
}
