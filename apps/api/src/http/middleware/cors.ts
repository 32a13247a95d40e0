import { routes } from '@plant-store/contract/routes';
import createCors, { type CorsOptions } from 'cors';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { setCommonHeaders } from '../security-headers.js';

/**
 * Lets pages of some origins call the service and read its replies, errors included (the CORS protocol of the Fetch
 * standard), and answers their preflights. For pages of other origins nothing changes.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const share = createCors({ ...options, origin: [...origins] });
  return function cors(request, response, next) {
    if (!origins.includes(request.headers.origin ?? '')) {
      response.vary('Origin');
      next();
      return;
    }
    share(request, response, () => {
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
    // Headers that tracing libraries add to requests of the page.
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
  // The longest that Chromium caches the reply to a preflight, in seconds.
  maxAge: 7200,
  // The library would send a Content-Length with a 204, which RFC 9110, section 8.6, forbids.
  preflightContinue: true,
};

/**
 * Logs the first preflight of each origin that `cors` did not answer, because browsers do not show why a call fails. Only looks at
 * preflights, which are certainly cross-origin: a proxy may have changed the host of other requests.
 */
export function logRefusedOrigins(log: Pick<Logger, 'warn'>): RequestHandler {
  const refused = new Set<string>();
  return function logRefusedOrigins(request, _response, next) {
    const { origin = '' } = request.headers;
    if (isPreflight(request) && isNewOrigin(refused, origin)) {
      log.warn({ origin }, 'CORS_ORIGINS does not permit the origin of a page');
    }
    next();
  };
}

/** Whether to log an origin: each once, and only up to a limit, because a client can send any origin. */
function isNewOrigin(refused: Set<string>, origin: string): boolean {
  if (refused.size >= maxRefusedOrigins || origin.length > maxOriginLength || origin === '') return false;
  return refused.size < refused.add(origin).size;
}

const maxRefusedOrigins = 10;
/** The longest domain name, with a scheme and a port. */
const maxOriginLength = 300;

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
