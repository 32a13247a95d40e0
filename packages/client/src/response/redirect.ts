/**
 * What `fetch` does about a redirect: it does not follow it, so that neither token nor plant goes where `baseUrl` does
 * not lead.
 *
 * `manual` gives the redirect itself, in browsers without its status and target. In Node.js `error` is faster, since the
 * body is not copied for a further request, and what it throws can be distinguished from a failure of the network.
 */
export const redirect = /^Node/.test(globalThis.navigator?.userAgent) ? 'error' : 'manual';

/** Whether what `fetch` of Node.js threw is that a redirect came. */
export function isRedirectError(error: unknown): boolean {
  return Object(error).cause?.message === 'unexpected redirect';
}

/**
 * Why a reply with a status that the operation does not declare is refused: a redirect (RFC 9110, section 15.4) with its
 * target and what to do about it. Browsers show a redirect that they do not follow as 0, and hide the target.
 */
export function explainStatus(status: number, target?: string | null): string {
  return /^(0|30[12378])$/.test(String(status))
    ? `redirect to ${target ?? 'elsewhere'}; let baseUrl lead there`
    : 'undeclared status';
}
