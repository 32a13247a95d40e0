import { type Operation, subjectOfOperation } from '@plant-store/contract';
import type { ErrorName } from '@plant-store/contract/errors';
import { messages } from '@plant-store/contract/messages';
import { allowedMethods, matchPath } from '@plant-store/contract/request-target';
import { internalError, invalidRequest, methodNotAllowed, ServiceError } from '@plant-store/records';
import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ClientGoneError, OverloadError, type OverloadReason } from '../../errors/service-error.js';
import { isNavigation, mayNavigate, sendErrorPage } from '../error-page.js';

/** The one place where errors become replies. An error that is not a `ServiceError` becomes a plain 500 and a full log line. */
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
    else if (serviceError.status >= 500 && !loggedElsewhere.has(serviceError.errorName))
      log.error({ requestId: request.id, err: serviceError.cause ?? serviceError }, serviceError.message);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const reply = () => {
      if (mayNavigate(request)) response.vary('Accept, Sec-Fetch-Mode');
      if (isNavigation(request)) sendErrorPage(request, response, serviceError, hasPage);
      else response.status(serviceError.status).set(serviceError.headers).json(serviceError.body);
    };
    if (serviceError instanceof OverloadError) setTimeout(reply, overloadDelayMs).unref();
    else reply();
  };
}

/** Delay before a rejection for overload is sent, in milliseconds, so that a client that retries at once costs little. */
const overloadDelayMs = 100;

/** A stop is not an error of the service, and an outage of the identity provider is logged once elsewhere. */
const loggedElsewhere = new Set<ErrorName>(['shutting_down', 'identity_provider_unavailable']);

function toServiceError(error: unknown, request: Request): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof RequestValidationError) {
    // ts-rest sets it.
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
  // Express's own, for a path parameter.
  if (error instanceof URIError && 'status' in error) {
    return new ServiceError('bad_request', messages.invalidPath);
  }
  return internalError(error);
}

/** Rejects other methods on the paths of operations, and names those of all operations there (RFC 9110, section 15.5.6). */
export const rejectOtherMethods: RequestHandler = ({ method, path }, _response, next) => {
  const operations = matchPath(path);
  if (operations.length > 0) throw methodNotAllowed(method, path, allowedMethods(operations));
  next();
};

export const notFound: RequestHandler = (request) => {
  throw new ServiceError('not_found', messages.notFound(request.path));
};
