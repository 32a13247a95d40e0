import type { ErrorBody } from '@plant-store/contract';
import { type ErrorName, type ErrorNumber, errors } from '@plant-store/contract/errors';

/** What a `ServiceError` may carry besides its message. */
interface ServiceErrorOptions {
  /** Headers of the reply, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the client should wait before it retries, in seconds; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The underlying error; logged, never sent. */
  readonly cause?: unknown;
}

/** An error of the registry: thrown anywhere, turned into a reply in one place, which sends its message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** The stable name in the registry. */
  readonly errorName: ErrorName;
  readonly headers: Readonly<Record<string, string>>;

  constructor(errorName: ErrorName, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.errorName = errorName;
    const { headers, retryAfterSeconds } = options;
    this.headers = { ...headers, ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }) };
  }

  /** The HTTP status it is sent with. */
  get status(): number {
    return errors[this.errorName].status;
  }

  /** The number in the body's field `error`. */
  get number(): ErrorNumber {
    return errors[this.errorName].error;
  }

  /** The body of its reply. */
  get body(): ErrorBody {
    return { error: this.number, message: this.message };
  }
}

/** The error for what is none of the registry: a plain 500, whose cause is logged. */
export function internalError(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'An unexpected error occurred. Retrying the request is safe.', {
    cause,
  });
}

/** The error for a request without a valid token. The challenge names an error only when a token was sent (RFC 6750, section 3.1). */
export function unauthorized(errorName: 'missing_token' | 'invalid_token', message: string): ServiceError {
  const error = errorName === 'invalid_token' ? ', error="invalid_token"' : '';
  return new ServiceError(errorName, message, {
    headers: { 'WWW-Authenticate': `Bearer realm="plant-store"${error}` },
  });
}

/** The limit that a request was rejected for; the log counts rejections by it. */
export type OverloadReason =
  | 'waiting_plants'
  | 'waiting_bytes'
  | 'waiting_reads'
  | 'body_bytes'
  | 'reply_bytes';

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
  waiting_reads: new OverloadError('waiting_reads'),
  body_bytes: new OverloadError('body_bytes'),
  reply_bytes: new OverloadError('reply_bytes'),
};

/** Ends the work for a request whose client has disconnected: nobody gets a reply. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client has disconnected');
  }
}
