import { routes } from '@plant-store/contract/routes';
import createCors, { type CorsOptions } from 'cors';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { setCommonHeaders } from '../security-headers.js';

/**
 * Allows pages from the given origins to call the service and read its replies, including errors (CORS, Fetch standard). The middleware
 * also answers preflights from these origins, and passes requests from other origins on.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const applyCors = createCors({ ...options, origin: [...origins] });
  return function cors(request, response, next) {
    if (!origins.includes(request.headers.origin ?? '')) {
      response.vary('Origin');
      next();
      return;
    }
    applyCors(request, response, () => {
      if (isPreflight(request)) {
        setCommonHeaders(request, response);
        response.status(204).end();
      } else next();
    });
  };
}

const options: CorsOptions = {
  methods: [...new Set(Object.values(routes).map(({ method }) => method))],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'X-Request-Id',
    'If-Match',
    'If-None-Match',
    // Tracing libraries add these headers to the page's requests.
    'traceparent',
    'tracestate',
    'baggage',
    'sentry-trace',
  ],
  exposedHeaders: [
    'ETag',
    'Link',
    'Retry-After',
    'X-Request-Id',
    'Idempotent-Replayed',
    'RateLimit',
    'RateLimit-Policy',
  ],
  // Chromium caches preflight replies for no longer than this time, in seconds.
  maxAge: 7200,
  // The middleware answers preflights itself, because the library sends a Content-Length with a 204, which RFC 9110, section 8.6, forbids.
  preflightContinue: true,
};

/**
 * Logs the first preflight from each origin that `cors` does not allow, because browsers do not tell a page why its call failed. The
 * middleware checks only preflights, because they are always cross-origin. For other requests, a proxy may have changed the host, so the
 * middleware cannot tell.
 */
export function logRefusedOrigins(log: Pick<Logger, 'warn'>): RequestHandler {
  const refused = new Set<string>();
  return function logRefusedOrigins(request, _response, next) {
    const { origin = '' } = request.headers;
    if (isPreflight(request) && rememberOrigin(refused, origin)) {
      log.warn({ origin }, 'the origin of a page is not in CORS_ORIGINS');
    }
    next();
  };
}

/**
 * Remembers an origin, and returns whether to log it. Each origin is logged once. The number of logged origins is limited, because a client
 * can send any origin.
 */
function rememberOrigin(refused: Set<string>, origin: string): boolean {
  if (refused.size >= maxRefusedOrigins || origin.length > maxOriginLength || origin === '') return false;
  return refused.size < refused.add(origin).size;
}

const maxRefusedOrigins = 10;
/** The longest origin to log, in characters. A domain name with a scheme and a port is shorter. */
const maxOriginLength = 300;

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
