import type { ErrorBody } from '@plant-store/contract';
import { type ErrorName, type ErrorNumber, errors } from '@plant-store/contract/errors';

interface ServiceErrorOptions {
  /** Headers of the reply, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the client should wait before it retries, in seconds. Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The underlying error. It is logged, never sent. */
  readonly cause?: unknown;
}

/** An error of the registry `errors`. The error handler converts it to a reply. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  readonly errorName: ErrorName;
  readonly headers: Readonly<Record<string, string>>;

  constructor(errorName: ErrorName, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.errorName = errorName;
    const { headers, retryAfterSeconds } = options;
    this.headers = { ...headers, ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }) };
  }

  get status(): number {
    return errors[this.errorName].status;
  }

  /** The number in the field `error` of the body. */
  get number(): ErrorNumber {
    return errors[this.errorName].error;
  }

  get body(): ErrorBody {
    return { error: this.number, message: this.message };
  }
}

/** Returns the error for an unexpected failure: a 500. The cause is logged, and never sent. */
export function internalError(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'An unexpected error occurred. Retrying the request is safe.', {
    cause,
  });
}
