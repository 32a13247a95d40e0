import { randomUUID } from 'node:crypto';
import { isRequestId } from '@plant-store/records';
import type { RequestHandler } from 'express';
import { hideAccessTokens } from '../../auth/token-service.js';
import { OverloadError } from '../../errors/service-error.js';
import type { measureRequests } from '../../observe/measure-requests.js';
import type { RequestTraces } from '../../observe/otlp.js';
import { parseTraceparent, type RequestLog } from '../../observe/request-log.js';
import { hashedFilesRoute } from '../served-files.js';

/**
 * Gives each request an id: the caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-`, otherwise a new UUID. Measures,
 * traces, and logs it when its reply is sent or its client is gone. Does not log requests that are rejected for overload, nor the scripts
 * and styles of the page, because each page view requests several. Never logs a header or a body, nor a token in the path.
 *
 * @param share the share of the requests without an error that are logged, from 0 to 1
 */
export function requestLogger(
  log: RequestLog,
  share: number,
  measures?: ReturnType<typeof measureRequests>,
  traces?: RequestTraces,
): RequestHandler {
  return function requestLogger(request, response, next) {
    const startedAt = performance.now();
    const proposed = request.headers['x-request-id'];
    // Safe to print anywhere, so not an access token.
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
      const { accessToken, subject, recordId, recordIdName, outcomes, error, route } = response.locals;
      // The rejection log counts these requests.
      if (error instanceof OverloadError) return;
      const isSent = response.writableFinished;
      if (isSent && error === undefined && share < 1 && Math.random() >= share) return;
      if (isSent && error === undefined && route === hashedFilesRoute) return;
      const { traceId, spanId } = span ?? parseTraceparent(request.headers['traceparent']) ?? {};
      log.info(
        {
          requestId: request.id,
          traceId,
          spanId,
          method: request.method,
          path: hideAccessTokens(request.path),
          status: isSent ? response.statusCode : undefined,
          error: error?.number,
          tokenId: accessToken?.id,
          subject,
          ...(recordIdName && { [recordIdName]: recordId }),
          outcomes,
          durationMs: Math.round(durationMs * 1000) / 1000,
        },
        isSent ? 'request' : 'request cut off',
      );
    });
    next();
  };
}
