import type { ErrorBody, ErrorName, ErrorNumber, errors } from '@plant-store/contract/errors';
import { parseRetryAfter } from './backoff.js';
import { isPlantStoreError, PlantStoreError, type RequestSummary } from './errors/plant-store-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { Reply } from './read-reply.js';

/**
 * Returns the body of a successful reply, such as the plant. Takes the reply of any operation, or the promise that a call returns.
 *
 * @throws {RejectedError} when the reply is not a success. A rejection of the promise is passed on unchanged.
 * @throws {UnexpectedResponseError} for a 304, which has no body. Read the `status` of a call with `if-none-match`.
 *
 * @example
 * import { createClient, unwrap } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plant = await unwrap(client.createPlant({ body: { id: 12_001, name: 'Rose' } }));
 */
export function unwrap<Given extends Reply | Promise<Reply>>(reply: Given): Unwrapped<Given>;
export function unwrap(reply: Reply | Promise<Reply>): unknown {
  return 'then' in reply ? reply.then(ensureSuccess).then(bodyOf) : bodyOf(ensureSuccess(reply));
}

/** The body of a reply, or the promise of one for the promise of a reply. */
type Unwrapped<Given> =
  Given extends Promise<infer Resolved> ? Promise<SuccessBody<Resolved>> : SuccessBody<Given>;

/**
 * Returns a successful reply, with a narrower type. Use it instead of `unwrap` if you need more than the body, such as `replayed`.
 *
 * @throws {RejectedError} when the reply is not a success
 * @throws {UnexpectedResponseError} for a 304, which is not a success and has no body
 */
export function ensureSuccess<Given extends Reply>(reply: Given): SuccessOf<Given> {
  const { status, request } = reply;
  if (status === 304) throw new UnexpectedResponseError(request, 'no body');
  // The body is an error: for statuses from 400, the client returns only bodies of that shape.
  if (status > 299) throw new RejectedError(reply as Reply<number, ErrorBody<number>>);
  return reply as SuccessOf<Given>;
}

function bodyOf({ body }: Reply): unknown {
  return body;
}

/** The status of each error, by its number. */
type Statuses = { [Name in ErrorName as (typeof errors)[Name]['error']]: (typeof errors)[Name]['status'] };

/**
 * The service rejected a request. `message` comes from the service, and you can show it to people. It can contain the ID. There is no
 * `cause`.
 *
 * A copy by `JSON` has all fields except `headers` and `stack`. A copy by `structuredClone` has only `message` and `stack`, as for every
 * error, so send `error.toJSON()` to another thread.
 */
export class RejectedError<Listed extends ErrorNumber = ErrorNumber> extends PlantStoreError {
  override get name(): 'RejectedError' {
    return 'RejectedError';
  }

  /** The HTTP status of the reply. */
  declare readonly status: Statuses[Listed];

  /** The field `error` of the reply: a number of the table `errors`. A service of another version can send other numbers. */
  readonly error: Listed;

  /** How long to wait before another attempt, in milliseconds since the reply. From `Retry-After`, if the reply has it. */
  readonly retryAfterMs: number | undefined;

  /** The headers of the reply. */
  declare readonly headers: Headers;

  constructor({
    status,
    body,
    headers,
    request,
  }: Pick<Reply<number, ErrorBody<number>>, 'status' | 'body' | 'headers' | 'request'>) {
    super({ ...request, status }, '', undefined, body.message);
    this.error = body.error as Listed;
    const retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? '');
    this.retryAfterMs = Number.isNaN(retryAfterMs) ? undefined : retryAfterMs;
    // Not enumerable, so that it is neither printed nor serialized as JSON.
    Object.defineProperty(this, 'headers', { value: headers });
  }

  /** Plain data for a log, or for another thread or process. */
  toJSON(): RejectedErrorData {
    return Object.assign({ name: this.name, message: this.message }, this);
  }
}

/** A `RejectedError` as plain data. */
export interface RejectedErrorData extends RequestSummary {
  readonly name: 'RejectedError';
  readonly message: string;
  readonly status: number;
  readonly error: number;
  readonly retryAfterMs: number | undefined;
}

/**
 * Whether a caught value is a `RejectedError`, including one from another copy of this package. If you pass numbers, its `error` must be
 * one of them.
 *
 * @example
 * import { errors, isRejectedError } from '@plant-store/client';
 *
 * if (isRejectedError(error, errors.id_taken.error)) return chooseAnotherId();
 */
export function isRejectedError<const Listed extends ErrorNumber = ErrorNumber>(
  error: unknown,
  ...numbers: readonly Listed[]
): error is RejectionOf<Listed> {
  if (!isPlantStoreError(error) || error.name !== 'RejectedError') return false;
  return numbers.length === 0 || numbers.includes(Object(error).error);
}

/** The success statuses of operations (RFC 9110, section 15.3). */
export type SuccessStatus = 200 | 204;

/** The successful replies of a union of replies. */
export type SuccessOf<Given> = Extract<Given, { readonly status: SuccessStatus }>;

/** The errors with these numbers: a union that narrows by `error` and by `status`. */
export type RejectionOf<Listed> = Listed extends ErrorNumber ? RejectedError<Listed> : never;

type SuccessBody<Given> = Given extends { readonly status: SuccessStatus; readonly body: infer Body }
  ? Body
  : never;
