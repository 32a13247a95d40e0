/**
 * The `redirect` option for `fetch`. Redirects are not followed, so that the token and the plant are sent only to `baseUrl`.
 *
 * `manual` returns the redirect, in browsers without its status and target. In Node.js, `error` is faster because the body is not copied
 * for another request, and `isRedirectError` can recognize its error.
 */
export const redirect: 'error' | 'manual' = /^Node/.test(globalThis.navigator?.userAgent)
  ? 'error'
  : 'manual';

/** Whether the `fetch` of Node.js threw an error because of a redirect. */
export function isRedirectError(error: unknown): boolean {
  return Object(error).cause?.message === 'unexpected redirect';
}

/**
 * Describes a status that the operation does not declare. For 300 to 399 (RFC 9110, section 15.4), names the target and the fix. Browsers
 * report a redirect that they do not follow as status 0, without its target.
 */
export function explainStatus(status: number, target?: string | null): string {
  return /^[03]/.test(`${status}`)
    ? `a redirect to ${target ?? 'another URL'}; update baseUrl`
    : 'an unexpected status';
}
