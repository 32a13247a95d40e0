import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import { parseReply } from './parse-reply.js';
import { explainStatus } from './redirect.js';

/** A response with its body read to the end, not yet parsed. */
export interface RawReply {
  readonly response: Response;
  readonly text: string;
}

/** A reply that the API defines, as far as can be checked without a schema. */
export interface ReadReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly replayed: boolean;
  readonly response: Response;
}

/**
 * Reads a response as a reply that the API defines: JSON for a success, `{ error, message }` for any other of the
 * statuses that the operation declares.
 *
 * @throws {UnexpectedResponseError} when it is not one
 */
export function readReply({ response, text }: RawReply, statuses: readonly number[]): ReadReply {
  const { status, headers } = response;
  const refuse = (reason: string, options?: ErrorOptions) =>
    new UnexpectedResponseError(reason, status, text, options);
  if (!statuses.includes(status)) throw refuse(explainStatus(status, headers.get('location')));
  let body: unknown;
  if (status !== 204) {
    try {
      body = parseReply(text);
    } catch (cause) {
      throw refuse('body is not JSON', { cause });
    }
    const { error, message } = Object(body);
    const hasShape = status < 300 || (Number.isInteger(error) && typeof message === 'string');
    if (!hasShape || !/^\s*{/.test(text)) throw refuse('body has the wrong shape');
  }
  return {
    status,
    body,
    headers,
    requestId: headers.get('x-request-id'),
    replayed: headers.get('idempotent-replayed') === 'true',
    response,
  };
}
