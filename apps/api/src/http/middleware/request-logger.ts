import { randomUUID } from 'node:crypto';
import { isRequestId } from '@plant-store/records';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { hideAccessTokens } from '../../auth/token-service.js';
import { OverloadError } from '../../errors/service-error.js';
import type { measureRequests } from '../../observe/measure-requests.js';
import type { RequestTraces } from '../../observe/otlp.js';
import { hashedFilesRoute } from '../served-files.js';

/**
 * Gives each request an ID: the caller's `X-Request-Id` if it is up to 64 letters, digits, and `_.:-`, otherwise a new UUID. Measures,
 * traces, and logs the request when its reply is sent or its client is gone. Does not log requests that are rejected for overload, nor the
 * page's scripts and styles, because each page view requests several. Never logs a header, a body, or a token in the path.
 *
 * @param share the share of successful requests that are logged, from 0 to 1
 */
export function requestLogger(
  log: Pick<Logger, 'info'>,
  share: number,
  measures?: ReturnType<typeof measureRequests>,
  traces?: RequestTraces,
): RequestHandler {
  return function requestLogger(request, response, next) {
    const startedAt = performance.now();
    const proposed = request.headers['x-request-id'];
    // An ID must be safe to print anywhere, so it cannot be an access token.
    const isUsed =
      typeof proposed === 'string' && isRequestId(proposed) && hideAccessTokens(proposed) === proposed;
    request.id = isUsed ? proposed : randomUUID();
    measures?.onBegin();
    // One clock and one listener for all purposes, because they cost as much as the work itself.
    response.on('close', () => {
      const endedAt = performance.now();
      const durationMs = endedAt - startedAt;
      measures?.onEnd(request, response, durationMs);
      const span = traces?.record(request, response, startedAt, endedAt);
      const { accessToken, subject, loggedId, outcomes, error, route } = response.locals;
      // The rejection log counts these requests.
      if (error instanceof OverloadError) return;
      const isSent = response.writableFinished;
      if (isSent && error === undefined && share < 1 && Math.random() >= share) return;
      if (isSent && error === undefined && route === hashedFilesRoute) return;
      const { traceparent } = request.headers;
      const { traceId, spanId } =
        span ?? ((typeof traceparent === 'string' && parseTraceparent(traceparent)) || {});
      log.info(
        {
          requestId: request.id,
          // The caller's span if the service sends no traces.
          traceId,
          spanId,
          method: request.method,
          path: hideAccessTokens(request.path),
          status: isSent ? response.statusCode : undefined,
          error: error?.number,
          tokenId: accessToken?.id,
          subject,
          ...loggedId,
          outcomes,
          durationMs: Math.round(durationMs * 1000) / 1000,
        },
        isSent ? 'request' : 'request cut off',
      );
    });
    next();
  };
}

/** A span of a distributed trace, in lower-case hexadecimal. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
}

const traceparentPattern =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/**
 * Parses the header `traceparent` (W3C Trace Context, section 3.2).
 *
 * @returns the caller's span, or `undefined` if the header is not valid and so must be ignored
 */
export function parseTraceparent(header: string): Span | undefined {
  const [, version, traceId, spanId, laterFields] = traceparentPattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  // Only later versions may append fields.
  return version === '00' && laterFields !== undefined ? undefined : { traceId, spanId };
}
