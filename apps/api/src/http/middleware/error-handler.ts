import type { ErrorName } from '@plant-store/contract/errors';
import { explainInvalidRequest, messages } from '@plant-store/contract/messages';
import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { ClientGoneError, internalError, OverloadError, ServiceError } from '../../errors/service-error.js';
import type { RejectionLog } from '../../observe/request-log.js';

/** The one place where errors become replies. An error that is not a `ServiceError` becomes a plain 500 and a full log line. */
export function errorHandler(log: Logger, rejections: RejectionLog): ErrorRequestHandler {
  return function errorHandler(error: unknown, request, response, _next) {
    if (error instanceof ClientGoneError) return;
    const serviceError = toServiceError(error);
    response.locals.error = serviceError;
    if (serviceError instanceof OverloadError) rejections.count(serviceError.reason);
    else if (serviceError.status >= 500 && !loggedElsewhere.has(serviceError.errorName))
      log.error({ requestId: request.id, err: serviceError.cause ?? serviceError }, serviceError.message);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const reply = () =>
      void response.status(serviceError.status).set(serviceError.headers).json(serviceError.body);
    if (serviceError instanceof OverloadError) setTimeout(reply, overloadDelayMs).unref();
    else reply();
  };
}

/** How long after the request a rejection for overload is sent, in milliseconds: a client that retries at once takes little time. */
const overloadDelayMs = 100;

/** A stop is no error of the service, and that the identity provider is away is logged once. */
const loggedElsewhere = new Set<ErrorName>(['shutting_down', 'identity_provider_unavailable']);

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof RequestValidationError) {
    const { errorName, message } = explainInvalidRequest({
      path: error.pathParams?.issues,
      query: error.query?.issues,
      headers: error.headers?.issues,
      body: error.body?.issues,
    });
    return new ServiceError(errorName, message);
  }
  // Express's own, for a path parameter.
  if (error instanceof URIError && 'status' in error) {
    return new ServiceError('bad_request', messages.invalidPath);
  }
  return internalError(error);
}
