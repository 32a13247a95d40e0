/**
 * Whether the service may have carried out a request:
 *
 * - `not_sent`: no. No connection was made.
 * - `rejected`: no. Each attempt that was sent got a status from 400 to 499.
 * - `unknown`: it may have, at this or an earlier attempt.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** A request as described in errors. */
export interface RequestSummary {
  readonly method: string;
  /** Without its query. */
  readonly url: string;
  /** The HTTP status that the last attempt got; `undefined` if it got none. */
  readonly status?: number | undefined;
  /** The ID of the last attempt in the log of the service, if a reply named it. */
  readonly requestId: string | null;
  readonly outcome: Outcome;
}

/**
 * The base class of all errors of this client. None of its fields contains the token, the query, or the body of the request. The URL and
 * the message may have an ID. `cause` is what `fetch`, the parser, or your own function threw.
 *
 * A call rejects only without a reply that the API defines. `unwrap` and `ensureSuccess` throw the others, as a `RejectedError`.
 */
export abstract class PlantStoreError extends Error {
  abstract override get name(): string;

  /** So that each copy of this package recognizes the errors of the others. */
  get isPlantStoreError(): true {
    return true;
  }

  declare readonly method: string;

  /** The URL of the request, without its query. */
  declare readonly url: string;

  /** The HTTP status that the last attempt got; `undefined` if it got none. */
  declare readonly status: number | undefined;

  /** The ID of the request in the log of the service, if it is known. Include it in a bug report. */
  declare readonly requestId: string | null;

  /** Whether the service may have carried out the request. Retrying a create is safe in any case. */
  declare readonly outcome: Outcome;

  /** The error that led to this one, if there was one. Declared here for projects whose `lib` is older than ES2022. */
  declare readonly cause?: unknown;

  /** Takes the request, what it got instead of a proper reply, the cause, and the message, if it does not follow from these. */
  constructor(request: RequestSummary, got: string, cause?: unknown, message?: string) {
    const { status, requestId } = request;
    const known = (status ? `, status ${status}` : '') + (requestId ? `, request ${requestId}` : '');
    super(
      message ?? `${request.method} ${request.url} got ${got}${known}`,
      (cause && { cause }) as ErrorOptions,
    );
    Object.assign(this, request);
  }
}

/**
 * Whether a caught value is an error of this client of any kind, also one of another copy of this package.
 *
 * If you know which operation threw it, pass its type, and the error narrows by `name`, `status`, and `error`:
 * `isPlantStoreError<ErrorOf<'getPlant'>>(error)`.
 */
export function isPlantStoreError<Thrown extends PlantStoreError = PlantStoreError>(
  error: unknown,
): error is Thrown {
  return Object(error).isPlantStoreError === true;
}
