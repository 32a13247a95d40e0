/**
 * Validates a base URL and returns it without a trailing slash, so that a route's path can be appended.
 *
 * @throws {TypeError} unless it is an absolute http or https URL without credentials, query and fragment. The
 * message does not quote the value, which may contain a password.
 */
export function parseBaseUrl(baseUrl: string | URL): string {
  let href = '';
  try {
    href = new URL(baseUrl).href;
  } catch {}
  // In a normalized URL the origin always ends with a slash.
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(href)) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment');
  }
  return href.replace(/\/+$/, '');
}
