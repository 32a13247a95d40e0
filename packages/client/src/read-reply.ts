import type { RequestSummary } from './errors/plant-store-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { ValidatedReply } from './options.js';
import { parseReply } from './parse-reply.js';
import { explainStatus } from './redirect.js';

/** A reply that the API defines, as far as can be checked without a schema. */
export interface ReadReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly etag: string | null;
  readonly replayed: boolean;
  readonly request: RequestSummary;
  readonly response: Response;
}

/**
 * Reads a response as a reply that the API defines: JSON for a success, `{ error, message }` for any other of the
 * statuses that the operation declares. A 204 and a 304 have no body (RFC 9110, sections 15.3.5 and 15.4.5).
 *
 * @throws {UnexpectedResponseError} when it is not one, or `validate` throws
 */
export function readReply(
  response: Response,
  text: string,
  statuses: readonly number[],
  request: RequestSummary,
  validate: (reply: ValidatedReply) => void,
): ReadReply {
  const { status, headers } = response;
  const refuse = (got: string, cause?: unknown) => new UnexpectedResponseError(request, got, cause, text);
  if (!statuses.includes(status)) throw refuse(explainStatus(status, headers.get('location')));
  let body: unknown;
  try {
    if (status !== 204 && status !== 304) {
      body = parseReply(text);
      const { error, message } = Object(body);
      const isError = Number.isInteger(error) && typeof message === 'string';
      // Nothing that the reason could add to.
      if (!/^\s*{/.test(text) || (status > 299 && !isError)) throw undefined;
    }
    validate({ status, body });
  } catch (cause) {
    throw refuse('an unexpected body', cause);
  }
  return {
    status,
    body,
    headers,
    requestId: request.requestId,
    etag: headers.get('etag'),
    replayed: headers.get('idempotent-replayed') === 'true',
    request,
    response,
  };
}
