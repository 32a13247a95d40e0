import type { Request, RequestHandler, Response } from 'express';

/** Returns the Content-Security-Policy of a document that loads only what the given directives allow. */
export const policyOf = (...directives: readonly string[]) =>
  [
    "default-src 'none'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * The security headers of an API: a browser that shows a reply cannot load, run, or frame anything. Replies are not cached (RFC 9111,
 * section 5.2.2.5), because a record can be deleted. Files set their own `Cache-Control`. HSTS is left to the proxy that terminates TLS,
 * because the proxy knows the host names.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The headers of the API viewer, which loads its own scripts, styles, and images, and the document that it shows. */
export const documentHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders,
  'content-security-policy': policyOf(
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ),
};

/**
 * Returns the headers of the page. The page loads only its own scripts, styles, images, and fonts, calls only this service and
 * the given origins, and never evaluates strings as code. No other page can frame it, and no page of another origin can read it.
 *
 * @param called other origins, such as the identity provider's
 */
export const pageHeaders = (...called: readonly string[]): Readonly<Record<string, string>> => ({
  ...securityHeaders,
  'content-security-policy': [
    policyOf(
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      ["connect-src 'self'", ...called].join(' '),
      "worker-src 'self'",
    ),
    // The policy is created in apps/web/src/import/session/spawn-worker.ts, to start the only worker.
    "require-trusted-types-for 'script'",
    'trusted-types plant-store-worker',
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
});

/** Sets the headers of every reply. On the fast path, `sendJson` writes them together with the body instead. */
export const commonHeaders: RequestHandler = (request, response, next) => {
  setCommonHeaders(request, response);
  next();
};

/** Sets the request ID and the given headers. */
export function setCommonHeaders(request: Request, response: Response, headers = securityHeaders): void {
  response.set(headers).set('X-Request-Id', request.id);
}
