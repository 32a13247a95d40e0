/**
 * Checks a base address and gives it without a slash at its end, so that a route's path can be appended.
 *
 * @throws {TypeError} unless it is an absolute http or https URL without credentials, query and fragment. The
 * message does not repeat the value, which may hold a password.
 */
export function parseBaseUrl(baseUrl: string | URL): string {
  const { href } = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : { href: '' };
  if (!originAndPath.test(href)) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment');
  }
  return href.replace(/\/+$/, '');
}

/** Matches a normalized URL, in which the origin always ends with a slash. */
const originAndPath = /^https?:\/\/[^/@]+\/[^?#]*$/;
