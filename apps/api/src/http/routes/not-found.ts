import { messages } from '@plant-store/contract/messages';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects requests that no route has handled. */
export const notFound: RequestHandler = (request) => {
  throw new ServiceError('not_found', messages.notFound(request.path));
};
