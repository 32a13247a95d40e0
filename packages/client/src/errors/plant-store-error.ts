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
  /** The HTTP status of the last attempt; `undefined` if it got no response. */
  readonly status?: number | undefined;
  /** The last attempt's ID in the service log, if the response had it. */
  readonly requestId: string | null;
  readonly outcome: Outcome;
}

/**
 * The base class of all errors of this client. None of its fields contains the token, the query, or the body of the request. The URL and
 * the message can contain an ID. `cause` is the error of `fetch`, of the parser, or of your function.
 *
 * A call rejects only if there is no reply that the API defines. For a reply that is not a success, `unwrap` and `ensureSuccess` throw a
 * `RejectedError`.
 */
export abstract class PlantStoreError extends Error {
  abstract override get name(): string;

  /** Lets each copy of this package recognize the errors of the others. */
  get isPlantStoreError(): true {
    return true;
  }

  declare readonly method: string;

  /** The URL of the request, without its query. */
  declare readonly url: string;

  /** The HTTP status of the last attempt; `undefined` if it got no response. */
  declare readonly status: number | undefined;

  /** The request's ID in the service log, if it is known. Include it in a bug report. */
  declare readonly requestId: string | null;

  /** Whether the service may have carried out the request. Retrying a create is safe in any case. */
  declare readonly outcome: Outcome;

  /** The error that led to this one, if there was one. Declared here for projects whose `lib` is older than ES2022. */
  declare readonly cause?: unknown;

  /**
   * @param got what came instead of a valid reply
   * @param message default: derived from `request` and `got`
   */
  constructor(request: RequestSummary, got: string, cause?: unknown, message?: string) {
    const { status, requestId } = request;
    const details = (status ? `, status ${status}` : '') + (requestId ? `, request ${requestId}` : '');
    super(
      message ?? `${request.method} ${request.url} got ${got}${details}`,
      (cause && { cause }) as ErrorOptions,
    );
    Object.assign(this, request);
  }
}

/**
 * Whether a caught value is an error of this client, including one from another copy of this package.
 *
 * If you know which operation threw it, pass its type, and the error narrows by `name`, `status`, and `error`:
 * `isPlantStoreError<ErrorOf<'getPlant'>>(error)`.
 */
export function isPlantStoreError<Thrown extends PlantStoreError = PlantStoreError>(
  error: unknown,
): error is Thrown {
  return Object(error).isPlantStoreError === true;
}
