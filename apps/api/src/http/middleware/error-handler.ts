import { type Operation, subjectOfOperation } from '@plant-store/contract';
import type { ErrorName } from '@plant-store/contract/errors';
import { messages } from '@plant-store/contract/messages';
import { allowedMethods, matchPath } from '@plant-store/contract/request-target';
import { internalError, invalidRequest, methodNotAllowed, ServiceError } from '@plant-store/records';
import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ClientGoneError, OverloadError, type OverloadReason } from '../../errors/service-error.js';
import { canNavigate, isNavigation, sendErrorPage } from '../error-page.js';

/** Turns all errors into replies. An error that is not a `ServiceError` becomes a plain 500 and a full log line. */
export function errorHandler(
  log: Logger,
  countRejection: (reason: OverloadReason) => void,
  hasPage = false,
): ErrorRequestHandler {
  return function errorHandler(error: unknown, request, response, _next) {
    if (error instanceof ClientGoneError) return;
    const serviceError = toServiceError(error, request);
    response.locals.error = serviceError;
    if (serviceError instanceof OverloadError) countRejection(serviceError.reason);
    else if (serviceError.status >= 500 && !notLogged.has(serviceError.errorName))
      log.error({ requestId: request.id, err: serviceError.cause ?? serviceError }, serviceError.message);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const reply = () => {
      if (canNavigate(request)) response.vary('Accept, Sec-Fetch-Mode');
      if (isNavigation(request)) sendErrorPage(request, response, serviceError, hasPage);
      else response.status(serviceError.status).set(serviceError.headers).json(serviceError.body);
    };
    if (serviceError instanceof OverloadError) setTimeout(reply, overloadDelayMs).unref();
    else reply();
  };
}

/** Delay before a rejection for overload is sent, in milliseconds, so that a client that retries at once costs little. */
const overloadDelayMs = 100;

/** Not logged per request: a shutdown is not an error, and an identity provider outage is logged once where it is detected. */
const notLogged = new Set<ErrorName>(['shutting_down', 'identity_provider_unavailable']);

function toServiceError(error: unknown, request: Request): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof RequestValidationError) {
    // ts-rest sets `tsRestRoute`.
    const { tsRestRoute } = request as Request & { readonly tsRestRoute: Operation };
    return invalidRequest(
      {
        path: error.pathParams?.issues,
        query: error.query?.issues,
        headers: error.headers?.issues,
        body: error.body?.issues,
      },
      subjectOfOperation(tsRestRoute.metadata),
    );
  }
  // Express throws this error for a path parameter that it cannot decode.
  if (error instanceof URIError && 'status' in error) {
    return new ServiceError('bad_request', messages.invalidPath);
  }
  return internalError(error);
}

/** Rejects methods that are not allowed on an operation path, and lists the allowed methods (RFC 9110, section 15.5.6). */
export const rejectOtherMethods: RequestHandler = ({ method, path }, _response, next) => {
  const operations = matchPath(path);
  if (operations.length > 0) throw methodNotAllowed(method, path, allowedMethods(operations));
  next();
};

export const notFound: RequestHandler = (request) => {
  throw new ServiceError('not_found', messages.notFound(request.path));
};
