import { ServiceError } from '@plant-store/records';

/**
 * The reason for a rejection when too many records are queued. The value dates from when all records were plants, and metrics depend on it.
 */
export const waitingRecords = 'waiting_plants';

const reasons = [waitingRecords, 'waiting_bytes', 'waiting_reads', 'body_bytes', 'reply_bytes'] as const;

/** The limit that a request was rejected for. The log groups rejections by it. */
export type OverloadReason = (typeof reasons)[number];

/** The error `overloaded`. All rejections for the same reason share an instance, because a rejection must cost less than a create. */
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
