import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/**
 * The security headers of an API: a browser that shows a reply may load, run and frame nothing. No cache keeps a reply (RFC
 * 9111, section 5.2.2.5), since its plant may be deleted; what is a file has a `Cache-Control` of its own.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...computeHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    // Left to the proxy that terminates TLS, which has the names that it serves.
    strictTransportSecurity: false,
    // These are for documents that run scripts, or for browsers of the past.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
};

/**
 * The headers of the page on which people add plants: it loads its own scripts, styles and images and nothing else, calls
 * this service and no other, makes no code of a text, and cannot be framed, or read by a page of another origin.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // The name is that of the policy in apps/web/src/import/session/spawn-worker.ts, which starts the one worker.
    "require-trusted-types-for 'script'",
    'trusted-types plant-store-worker',
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Helmet sets the headers on a response that is never sent: they are the same for every reply. */
function computeHeaders(options: HelmetOptions): Readonly<Record<string, string>> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(response.req, response, (error) => {
    if (error !== undefined) throw error;
  });
  const headers = Object.entries(response.getHeaders());
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}

/** Sets the headers that every reply has. With the fast path `sendJson` writes them together with the body instead. */
export const commonHeaders: RequestHandler = (request, response, next) => {
  setCommonHeaders(request, response);
  next();
};

/** Sets the request id and the security headers, or others in place of these. */
export function setCommonHeaders(request: Request, response: Response, headers = securityHeaders): void {
  response.set(headers).set('X-Request-Id', request.id);
}
