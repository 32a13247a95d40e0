import { errors } from '@plant-store/contract/errors';
import type { RequestHandler } from 'express';
import { hideAccessTokens } from '../../auth/access-token-format.js';
import type { RequestLog } from '../../logging/request-log.js';

/**
 * Logs one line per request, once it is over, except for those rejected for overload. Never logs a header or a body, nor a
 * token in the path.
 */
export function requestLogger(log: RequestLog): RequestHandler {
  return function requestLogger(request, response, next) {
    const startedAt = performance.now();
    response.on('close', () => {
      const { accessToken, plantId, error } = response.locals;
      // The rejection log counts these.
      if (error === errors.overloaded.error) return;
      log.info(
        {
          requestId: request.id,
          method: request.method,
          path: hideAccessTokens(request.path),
          status: response.writableFinished ? response.statusCode : undefined,
          error,
          tokenId: accessToken?.id,
          plantId,
          durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
        },
        response.writableFinished ? 'request' : 'request cut off',
      );
    });
    next();
  };
}
