import type { ZodOpenApiHeaderObject } from 'zod-openapi';

/** The headers that replies bear, as components of the document. */
export const headers = {
  RequestId: {
    description: 'Names this request in the log of the service; quote it when reporting an error.',
    schema: { type: 'string', examples: ['5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55'] },
  },
  IdempotentReplayed: {
    description: 'Present when the same plant was stored before and nothing was stored now.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is retried (RFC 9110, section 10.2.3).',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  RateLimit: {
    description: 'Requests left in the current window, where the operator has set a limit.',
    schema: { type: 'string', examples: ['"plants"; r=59; t=60'] },
  },
  RateLimitPolicy: {
    description:
      'The limit itself, where the operator has set one (draft-ietf-httpapi-ratelimit-headers-08).',
    schema: { type: 'string', examples: ['"plants"; q=60; w=60'] },
  },
  WwwAuthenticate: {
    description: 'The bearer challenge (RFC 6750, section 3).',
    schema: { type: 'string', examples: ['Bearer realm="plant-store", error="invalid_token"'] },
  },
} satisfies Record<string, ZodOpenApiHeaderObject>;

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

const rateLimitHeaders = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };

/** The headers, besides the request id, that a reply of a status may bear. */
const headersByStatus: Readonly<Record<number, HeaderReferences>> = {
  200: { 'Idempotent-Replayed': header('IdempotentReplayed'), ...rateLimitHeaders },
  400: rateLimitHeaders,
  401: { 'WWW-Authenticate': header('WwwAuthenticate') },
  429: { 'Retry-After': header('RetryAfter'), ...rateLimitHeaders },
  503: { 'Retry-After': header('RetryAfter') },
};

type HeaderReferences = Record<string, ReturnType<typeof header>>;

/** The headers that a reply of a status may bear. */
export function headersOf(status: number): HeaderReferences {
  return { 'X-Request-Id': header('RequestId'), ...headersByStatus[status] };
}
