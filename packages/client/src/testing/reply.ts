import { type ErrorName, type ErrorNumber, errors } from '@plant-store/contract/errors';
import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';

/** A reply as it is to be sent; an empty body is none. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply of the service, which always has the request's id; one without a body has no content type. */
export function jsonReply(
  requestId: string,
  status: number,
  body: ExactJson | undefined,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  if (body === undefined) return { status, headers: { ...headers, 'X-Request-Id': requestId }, body: '' };
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': requestId },
    body: stringifyExactJson(body),
  };
}

/** `{ error, message }` with the status and the headers of the error. */
export function errorReply(requestId: string, { status, number, message, headers }: ServiceError): Reply {
  return jsonReply(requestId, status, { error: number, message }, headers);
}

/**
 * The reply as `fetch` gives it.
 *
 * @throws {RangeError | TypeError} when its status or a header cannot be one
 */
export function toResponse({ status, headers, body }: Reply): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

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
