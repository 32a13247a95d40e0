import type { ErrorBody } from '@plant-store/contract';
import { describeShapeFaults } from '@plant-store/contract/describe-shape-faults';
import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { OverloadError } from '../overload-error.js';
import { ServiceError } from '../service-error.js';
import type { RefusalLog } from './refusal-log.js';

/** The one place where an error becomes a reply; what is not of the registry becomes a plain 500 and a full log line. */
export function replyWithError(log: Logger, refusals: RefusalLog): ErrorRequestHandler {
  return function replyWithError(error: unknown, request, response, _next) {
    const fault = toServiceError(error);
    response.locals.error = fault.number;
    if (fault instanceof OverloadError) refusals.count(fault.reason);
    else if (fault.status >= 500)
      log.error({ requestId: request.id, err: fault.cause ?? fault }, fault.message);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(fault.status).set(fault.headers).json(errorBody(fault));
  };
}

/** `{ error, message }` (interface: Resources, Error). */
export function errorBody({ number, message }: ServiceError): ErrorBody {
  return { error: number, message };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof RequestValidationError) {
    return new ServiceError(
      'invalid_plant',
      `The plant is not valid: ${describeShapeFaults(error.body?.issues)}.`,
    );
  }
  return new ServiceError(
    'internal_error',
    'The service met an unexpected fault. Repeating the request is safe.',
    {
      cause: error,
    },
  );
}
