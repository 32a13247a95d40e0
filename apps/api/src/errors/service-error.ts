import { ServiceError } from '@plant-store/records';

/** The limit on queued records. The name dates from when all records were plants; metrics depend on it. */
export const waitingRecords = 'waiting_plants';

const reasons = [waitingRecords, 'waiting_bytes', 'waiting_reads', 'body_bytes', 'reply_bytes'] as const;

/** The limit that a request was rejected for; the log groups rejections by it. */
export type OverloadReason = (typeof reasons)[number];

/** The error `overloaded`. There is one instance for each reason, since a rejection must cost less than a create. */
export class OverloadError extends ServiceError {
  readonly reason: OverloadReason;

  constructor(reason: OverloadReason) {
    super('overloaded', 'The service is overloaded. Try again in 1 second.', { retryAfterSeconds: 1 });
    this.reason = reason;
  }
}

export const overloadErrors = Object.fromEntries(
  reasons.map((reason) => [reason, new OverloadError(reason)]),
) as Readonly<Record<OverloadReason, OverloadError>>;

/** Thrown to end the work for a request whose client has disconnected, since no reply can be sent. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  override readonly message = 'The client has disconnected';
}
