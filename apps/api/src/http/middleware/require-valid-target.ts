import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects a request whose target `normalizeTarget` found invalid. */
export const requireValidTarget: RequestHandler = (request, _response, next) => {
  if (request.invalidTarget) {
    throw new ServiceError(
      'bad_request',
      'The target of the request is not valid. Send a path such as /plants, or an absolute http or https URL.',
    );
  }
  next();
};
