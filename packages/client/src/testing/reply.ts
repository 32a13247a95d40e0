import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';

/** A reply to send. An empty `body` means no body. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Outcome {
  readonly status: number;
  readonly body: ExactJson | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
  readonly replayed?: boolean;
}

/** Creates a reply as the service would: with the ID of the request and, if there is a body, a content type. */
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

/** @throws {RangeError | TypeError} when the status or a header is not valid */
export function toResponse({ status, headers, body }: Reply): Response {
  return new Response(body === '' ? null : body, { status, headers });
}
