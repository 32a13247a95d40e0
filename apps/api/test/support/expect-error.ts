import { type ErrorName, errors } from '@plant-store/contract/errors';
import { expect } from 'vitest';

/** The parts of a reply that tests check, independent of the HTTP client. */
export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/**
 * Checks that a reply is the named error of the registry, with all headers of error replies.
 *
 * @param missingScope the scope that `insufficient_scope` names
 */
export function expectError(
  reply: Reply,
  name: ErrorName,
  message: string | RegExp,
  missingScope = 'plants:create',
): void {
  const { error, status } = errors[name];
  expect(reply.body).toEqual({
    error,
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });
  expect(reply.status).toBe(status);
  expect(reply.headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers['www-authenticate']).toBe(
    challenges[name] ?? (name === 'insufficient_scope' ? challengeOf(missingScope) : undefined),
  );
  if (status === 429 || status === 503) expect(reply.headers['retry-after']).toMatch(/^\d+$/);
  else expect(reply.headers).not.toHaveProperty('retry-after');
}

/** The challenge names an error only when a token was sent (RFC 6750, section 3.1). */
const challenges: Partial<Record<ErrorName, string>> = {
  missing_token: 'Bearer realm="plant-store"',
  invalid_token: 'Bearer realm="plant-store", error="invalid_token"',
};

function challengeOf(scope: string): string {
  return `Bearer realm="plant-store", error="insufficient_scope", scope="${scope}"`;
}
