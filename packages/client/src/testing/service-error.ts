import { type ErrorName, type ErrorNumber, errors } from '@plant-store/contract/errors';

/** An error of the registry: thrown by whichever rule a request breaks, turned into a reply in one place. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly errorName: ErrorName;
  readonly headers: Readonly<Record<string, string>>;

  constructor(errorName: ErrorName, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.errorName = errorName;
    this.headers = headers;
  }

  /** The HTTP status it is sent with. */
  get status(): number {
    return errors[this.errorName].status;
  }

  /** The number in the body's field `error`. */
  get number(): ErrorNumber {
    return errors[this.errorName].error;
  }
}
