import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Refuses what no route of the path has taken, and names the methods that exist (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): RequestHandler {
  return function methodNotAllowed(request) {
    throw new ServiceError(
      'method_not_allowed',
      `${request.method} is not allowed on ${request.path}. Use ${allowed.join(' or ')}.`,
      { headers: { Allow: allowed.join(', ') } },
    );
  };
}
