import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { RawReply } from './exchange.js';

/** A reply of the interface as far as checks without a schema can tell. */
export interface ReadReply {
  readonly status: number;
  readonly body: object;
  readonly headers: Headers;
}

/**
 * Reads a response as a reply of the interface: an object for 200, `{ error, message }` for any other of the
 * statuses that the operation declares.
 *
 * @throws {UnexpectedResponseError} when it is not one.
 */
export function readReply({ status, headers, text }: RawReply, statuses: readonly number[]): ReadReply {
  if (!statuses.includes(status)) throw new UnexpectedResponseError('undeclared status', status, text);
  const body = parseJson(status, text);
  if (!isObject(body) || (status !== 200 && !isErrorBody(body))) {
    throw new UnexpectedResponseError('body of another form', status, text);
  }
  return { status, body, headers };
}

function parseJson(status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnexpectedResponseError('body is not JSON', status, text, { cause });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isErrorBody(body: object): boolean {
  return (
    'error' in body && Number.isInteger(body.error) && 'message' in body && typeof body.message === 'string'
  );
}
