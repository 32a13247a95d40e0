import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects requests that no route has handled. */
export const notFound: RequestHandler = (request) => {
  throw new ServiceError('not_found', `Nothing is served under ${request.path.slice(0, 200)}.`);
};
