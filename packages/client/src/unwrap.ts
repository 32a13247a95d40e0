import type { ErrorName, ErrorNumber, errors } from '@plant-store/contract/errors';
import { parseRetryAfter } from './backoff.js';

/**
 * The body of a successful reply, such as the plant.
 *
 * Takes the reply of any operation or the promise of one, which a call returns.
 *
 * @throws {RejectedError} when the reply is not a success. What the promise rejects with is thrown unchanged.
 *
 * @example
 * import { createClient, unwrap } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plant = await unwrap(client.createPlant({ body: { id: 12_001, name: 'Rose' } }));
 */
export function unwrap<Given extends AnyReply | Promise<AnyReply>>(reply: Given): Unwrapped<Given>;
export function unwrap(reply: AnyReply | Promise<AnyReply>): unknown {
  return 'then' in reply ? reply.then(ensureSuccess).then(bodyOf) : bodyOf(ensureSuccess(reply));
}

/** The body of a reply, or the promise of one for the promise of a reply. */
type Unwrapped<Given> = Given extends Promise<infer Reply> ? Promise<SuccessBody<Reply>> : SuccessBody<Given>;

/**
 * A successful reply, with its type narrowed to one: for what `unwrap` leaves out, such as `replayed`.
 *
 * @throws {RejectedError} when the reply is not a success
 */
export function ensureSuccess<Reply extends AnyReply>(reply: Reply): SuccessOf<Reply> {
  // The client returns no other than Error bodies for a status beyond 299.
  if (reply.status > 299) throw new RejectedError(reply as unknown as FailedReply);
  return reply as SuccessOf<Reply>;
}

function bodyOf({ body }: AnyReply): unknown {
  return body;
}

/** Shared by all copies of this module, so that an error of one is recognized by the others. */
const brand: unique symbol = Symbol.for('@plant-store/client/RejectedError');

/** The status of each error, by its number. */
type Statuses = { [Name in ErrorName as (typeof errors)[Name]['error']]: (typeof errors)[Name]['status'] };

/**
 * The service rejected a request: a reply with an Error body, thrown. `message` is the service's own, to be shown as it
 * is; it may name the id. Neither the token nor the request is in the error, and it has no `cause`: nothing failed beneath
 * it.
 *
 * A copy by `JSON` has all fields but `headers` and `stack`. A copy by `structuredClone` has, as of every error, only
 * `message` and `stack`: send `error.toJSON()` to another thread.
 */
export class RejectedError<Listed extends ErrorNumber = ErrorNumber> extends Error {
  override get name(): 'RejectedError' {
    return 'RejectedError';
  }

  get [brand](): true {
    return true;
  }

  /** The HTTP status of the reply. */
  readonly status: Statuses[Listed];

  /** The field `error` of the reply, a number of the table `errors`; a service of another version may send others. */
  readonly number: Listed;

  /** The id of the request in the service's log, to include in a bug report. */
  readonly requestId: string | null;

  /** The time to wait before another attempt that `Retry-After` names, in milliseconds from the reply on, if it does. */
  readonly retryAfterMs: number | undefined;

  /** Those of the reply. */
  readonly headers: Headers;

  /** Takes a reply that is not a success. */
  constructor({ status, body, headers, requestId }: FailedReply) {
    super(body.message);
    // A reply has the status of its number; the types of the routes say which.
    this.status = status as Statuses[Listed];
    this.number = body.error as Listed;
    this.requestId = requestId;
    const retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? '');
    this.retryAfterMs = Number.isNaN(retryAfterMs) ? undefined : retryAfterMs;
    this.headers = headers;
  }

  /** Plain data for a log, or for another thread or process. */
  toJSON(): RejectedErrorData {
    const { name, message, status, number, requestId, retryAfterMs } = this;
    return { name, message, status, number, requestId, retryAfterMs };
  }
}

/** A `RejectedError` as plain data. */
export interface RejectedErrorData {
  readonly name: 'RejectedError';
  readonly message: string;
  readonly status: number;
  readonly number: number;
  readonly requestId: string | null;
  readonly retryAfterMs: number | undefined;
}

/**
 * Whether a caught value is a `RejectedError`, and of one of the numbers, if some are given. It recognizes an error of
 * another copy of this package, too.
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
  const { [brand]: isBranded, number } = Object(error);
  return isBranded === true && (numbers.length === 0 || numbers.includes(number));
}

/** What a reply of any operation has; those of a `Client` are such replies. */
export interface AnyReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly requestId: string | null;
}

/** The replies that are not a success: with a body `{ error, message }`. */
export interface FailedReply extends AnyReply {
  readonly body: { readonly error: number; readonly message: string };
}

/** The statuses of success that operations have (RFC 9110, section 15.3). */
export type SuccessStatus = 200 | 204;

/** Of a union of replies, the successful ones. */
export type SuccessOf<Reply> = Extract<Reply, { readonly status: SuccessStatus }>;

/** Errors by their numbers: a union that narrows by `number` and by `status`. */
export type RejectionOf<Listed> = Listed extends ErrorNumber ? RejectedError<Listed> : never;

type SuccessBody<Reply> = Reply extends { readonly status: SuccessStatus; readonly body: infer Body }
  ? Body
  : never;
