import { ServiceError } from './service-error.js';

/** Which bound a request was refused for; the log counts refusals by it. */
export type OverloadReason = 'waiting_plants' | 'waiting_bytes' | 'body_bytes';

/** The error `overloaded`. It is made once for each reason, since a refusal must cost less than a create. */
export class OverloadError extends ServiceError {
  readonly reason: OverloadReason;

  constructor(reason: OverloadReason) {
    super('overloaded', 'The service is overloaded. Try again in 1 second.', { retryAfterSeconds: 1 });
    this.reason = reason;
  }
}

/** The errors to refuse requests with, by reason. */
export const overloadErrors: Readonly<Record<OverloadReason, OverloadError>> = {
  waiting_plants: new OverloadError('waiting_plants'),
  waiting_bytes: new OverloadError('waiting_bytes'),
  body_bytes: new OverloadError('body_bytes'),
};
