import type { ErrorBody } from '@plant-store/contract';
import { type ErrorName, type ErrorNumber, errors } from '@plant-store/contract/errors';

/** What a `ServiceError` may carry besides its message. */
export interface ServiceErrorOptions {
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

  /** The body of its reply (API: Resources, Error). */
  get body(): ErrorBody {
    return { error: this.number, message: this.message };
  }
}
