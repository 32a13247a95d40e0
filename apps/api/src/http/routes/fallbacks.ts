import { messages } from '@plant-store/contract/messages';
import { allowedMethods, matchPath } from '@plant-store/contract/request-target';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects what no route of the path has taken, and names the methods that exist (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): RequestHandler {
  return function methodNotAllowed(request) {
    const message = messages.methodNotAllowed(request.method, request.path, allowed);
    throw new ServiceError('method_not_allowed', message, { headers: { Allow: allowed.join(', ') } });
  };
}

/** Rejects other methods on the paths of operations, with the methods of all operations that are served there. */
export const rejectOtherMethods: RequestHandler = (request, response, next) => {
  const operations = matchPath(request.path);
  if (operations.length === 0) next();
  else methodNotAllowed(allowedMethods(operations))(request, response, next);
};

/** Rejects requests that no route has handled. */
export const notFound: RequestHandler = (request) => {
  throw new ServiceError('not_found', messages.notFound(request.path));
};
