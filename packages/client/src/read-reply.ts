import { commonStatuses, type Route } from '@plant-store/contract/routes';
import type { RequestSummary } from './errors/plant-store-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import { parseReply } from './parse-reply.js';
import { explainStatus } from './redirect.js';

/** A reply of the service. Without type arguments, a reply of any operation. */
export interface Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  /** For a failure, `error` is a number that the operation can return with this status, or a number of a later version. */
  readonly body: Body;
  readonly headers: Headers;
  /** The ID of the request in the log of the service. Include it in a bug report. */
  readonly requestId: string | null;
  /** Identifies the state of the plant that the reply is about. Use it for `ifMatch`, `startEdit`, or the header `if-none-match`. */
  readonly etag: string | null;
  /** Whether an earlier request, or an earlier attempt of this call, had already stored the same plant. */
  readonly replayed: boolean;
  /** The request, as errors describe it. */
  readonly request: RequestSummary;
  /** The response as `fetch` returned it. Its body has already been read. */
  readonly response: Response;
}

/**
 * Reads a response as a reply that the API defines: JSON for a success, and `{ error, message }` for the other statuses that the operation
 * declares.
 *
 * @throws {UnexpectedResponseError} when the API does not define the response, or `validate` throws or rejects
 */
export async function readReply(
  response: Response,
  text: string,
  { statuses = [200] }: Route,
  request: RequestSummary,
  validate: (reply: Reply) => unknown,
): Promise<Reply> {
  const { status, headers } = response;
  const createError = (got: string, cause?: unknown) =>
    new UnexpectedResponseError(request, got, cause, text);
  if (![...commonStatuses, ...statuses].includes(status))
    throw createError(explainStatus(status, headers.get('location')));
  try {
    const reply = {
      status,
      body: readBody(status, text),
      headers,
      requestId: request.requestId,
      etag: headers.get('etag'),
      replayed: headers.get('idempotent-replayed') === 'true',
      request,
      response,
    };
    await validate(reply);
    return reply;
  } catch (cause) {
    throw createError('an unexpected body', cause);
  }
}

/** A 204 and a 304 have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
function readBody(status: number, text: string): unknown {
  if ([204, 304].includes(status)) return undefined;
  const body = parseReply(text);
  const { error, message } = Object(body);
  const isError = Number.isInteger(error) && typeof message === 'string';
  // Without a cause, because the message of `readReply` already names the problem.
  if (!/^\s*{/.test(text) || (status > 299 && !isError)) throw undefined;
  return body;
}
