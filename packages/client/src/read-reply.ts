import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { RawReply } from './exchange.js';

/** A reply of the interface as far as checks without a schema can tell. */
export interface ReadReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly replayed: boolean;
  readonly response: Response;
}

/**
 * Reads a response as a reply of the interface: JSON for a success, `{ error, message }` for any other of the
 * statuses that the operation declares.
 *
 * @throws {UnexpectedResponseError} when it is not one
 */
export function readReply({ response, text }: RawReply, statuses: readonly number[]): ReadReply {
  const { status, headers } = response;
  const refuse = (reason: string, options?: ErrorOptions) =>
    new UnexpectedResponseError(reason, status, text, options);
  if (!statuses.includes(status)) throw refuse('undeclared status');
  let body: unknown;
  if (status !== 204) {
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw refuse('body is not JSON', { cause });
    }
    if (!isObject(body) || (status > 299 && !isError(body))) throw refuse('body of another form');
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

function isObject(value: unknown): value is { readonly error?: unknown; readonly message?: unknown } {
  return Object(value) === value && !Array.isArray(value);
}

function isError({ error, message }: { readonly error?: unknown; readonly message?: unknown }): boolean {
  return Number.isInteger(error) && typeof message === 'string';
}
