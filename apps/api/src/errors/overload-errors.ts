import { ServiceError } from './service-error.js';

/** The limit that a request was rejected for; the log counts rejections by it. */
export type OverloadReason = 'waiting_plants' | 'waiting_bytes' | 'body_bytes';

/** The error `overloaded`. There is one instance for each reason, since a rejection must cost less than a create. */
export class OverloadError extends ServiceError {
  readonly reason: OverloadReason;

  constructor(reason: OverloadReason) {
    super('overloaded', 'The service is overloaded. Try again in 1 second.', { retryAfterSeconds: 1 });
    this.reason = reason;
  }
}

/** The errors to reject requests with, by reason. */
export const overloadErrors: Readonly<Record<OverloadReason, OverloadError>> = {
  waiting_plants: new OverloadError('waiting_plants'),
  waiting_bytes: new OverloadError('waiting_bytes'),
  body_bytes: new OverloadError('body_bytes'),
};
