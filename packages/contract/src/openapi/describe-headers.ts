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

/** The headers of replies by their names, and the component that describes each. */
const components = {
  'X-Request-Id': 'RequestId',
  'Idempotent-Replayed': 'IdempotentReplayed',
  'Retry-After': 'RetryAfter',
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
  'WWW-Authenticate': 'WwwAuthenticate',
} as const satisfies Record<string, keyof typeof headers>;

/** The name of a header that a reply may bear. */
export type HeaderName = keyof typeof components;

const rateLimitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/**
 * The headers, besides the request id, that a reply of a status may bear whatever the operation. Without an entry it may
 * bear the RateLimit headers: they are set once the token is valid, and stay whatever happens then.
 */
const headersByStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', ...rateLimitHeaders],
  503: ['Retry-After', ...rateLimitHeaders],
};

/** The headers that a reply of a status may bear: those of every operation, and those given. */
export function describeHeaders(status: number, own: readonly HeaderName[] = []) {
  const names: readonly HeaderName[] = [
    'X-Request-Id',
    ...own,
    ...(headersByStatus[status] ?? rateLimitHeaders),
  ];
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${components[name]}` }]),
  );
}
