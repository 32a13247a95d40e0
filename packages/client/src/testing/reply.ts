import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';

/** A reply to send. An empty `body` means no body. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of an operation. `toReply` turns it into a reply. */
export interface Outcome {
  readonly status: number;
  readonly body: ExactJson | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
  /** Whether an earlier request had already stored the same record. */
  readonly replayed?: boolean;
}

/** Creates the reply that the service would send, with the request's ID and, if there is a body, a content type. */
export function toReply(requestId: string, { status, body, headers, etag, replayed }: Outcome): Reply {
  return {
    status,
    headers: {
      ...headers,
      ...(etag !== undefined && { ETag: etag }),
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
      ...(body !== undefined && { 'Content-Type': 'application/json; charset=utf-8' }),
      'X-Request-Id': requestId,
    },
    body: body === undefined ? '' : stringifyExactJson(body),
  };
}

/** Converts a reply to a `Response`. @throws {RangeError | TypeError} if the status or a header is not valid */
export function toResponse({ status, headers, body }: Reply): Response {
  return new Response(body === '' ? null : body, { status, headers });
}
