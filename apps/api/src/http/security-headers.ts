import type { Request, RequestHandler, Response } from 'express';

/** The Content-Security-Policy of a document that loads this and nothing else. */
export const policyOf = (...loaded: readonly string[]) =>
  ["default-src 'none'", ...loaded, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
    '; ',
  );

/**
 * The security headers of an API: a browser that shows a reply may load, run and frame nothing. Replies are not cached (RFC 9111, section
 * 5.2.2.5), because a record may be deleted; files set their own `Cache-Control`. HSTS is left to the proxy that terminates TLS, because it
 * knows the host names.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The headers of the viewer of the API: it loads its own script and style, and the document that it shows. */
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
 * The headers of the page. It only loads its own scripts, styles, images, and fonts, only calls this service, never evaluates strings as
 * code, and cannot be framed, or read by a page of another origin.
 *
 * @param called other origins that it may call, such as that of the identity provider
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

/** Sets the request id, and the security headers or the given ones. */
export function setCommonHeaders(request: Request, response: Response, headers = securityHeaders): void {
  response.set(headers).set('X-Request-Id', request.id);
}
