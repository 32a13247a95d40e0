import { commonStatuses, type Route } from '@plant-store/contract/routes';
import type { RequestSummary } from './errors/plant-store-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import { parseReply } from './parse-reply.js';
import { explainStatus } from './redirect.js';

/** A reply from the service. Without type arguments, the type describes a reply to any operation. */
export interface Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  /** The parsed body. In a failure, `error` is one of the operation's numbers for this status, or a number that a later version added. */
  readonly body: Body;
  readonly headers: Headers;
  /** The request's ID in the service log. Include it in bug reports. */
  readonly requestId: string | null;
  /** Identifies the current state of the plant. Use it for `ifMatch`, `startEdit`, or the header `if-none-match`. */
  readonly etag: string | null;
  /** Whether an earlier request, or an earlier attempt in this call, had already stored the same plant. */
  readonly replayed: boolean;
  /** The request summary that errors contain. */
  readonly request: RequestSummary;
  /** The response that `fetch` returned. Its body has already been read. */
  readonly response: Response;
}

/**
 * Converts a response to a reply. The API defines a JSON body for success, and `{ error, message }` for each other status that the operation
 * declares.
 *
 * @throws {UnexpectedResponseError} if the API does not define the response, or if `validate` throws or rejects
 */
export async function readReply(
  response: Response,
  text: string,
  { statuses = [200] }: Route,
  request: RequestSummary,
  validate: (reply: Reply) => unknown,
): Promise<Reply> {
  const { status, headers } = response;
  const createError = (received: string, cause?: unknown) =>
    new UnexpectedResponseError(request, received, cause, text);
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

/** Parses a response body. Responses with status 204 or 304 have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
function readBody(status: number, text: string): unknown {
  if ([204, 304].includes(status)) return undefined;
  const body = parseReply(text);
  const { error, message } = Object(body);
  const isError = Number.isInteger(error) && typeof message === 'string';
  // `readReply` turns this into its error, which needs no cause.
  if (!/^\s*{/.test(text) || (status > 299 && !isError)) throw undefined;
  return body;
}
