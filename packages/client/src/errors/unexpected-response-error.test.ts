import { describe, expect, it } from 'vitest';
import { NetworkError } from './network-error.js';
import { isUnexpectedResponseError, UnexpectedResponseError } from './unexpected-response-error.js';

describe('UnexpectedResponseError', () => {
  it('has the status, the cause and the first 200 characters of the body', () => {
    const cause = new SyntaxError('Unexpected token');
    const error = new UnexpectedResponseError('body is not JSON', 502, `<${'x'.repeat(500)}`, { cause });
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      message: 'Unexpected response with status 502: body is not JSON',
      status: 502,
      outcome: 'unknown',
      bodyStart: `<${'x'.repeat(199)}`,
      cause,
    });
    expect(error.stack).toMatch(/^UnexpectedResponseError: Unexpected response/);
    expect(isUnexpectedResponseError(error)).toBe(true);
  });

  it('is distinguished from every other error', () => {
    const lookalike = { name: 'UnexpectedResponseError', status: 502, bodyStart: '' };
    expect(
      [new NetworkError('gone', { outcome: 'unknown' }), lookalike, null].filter(isUnexpectedResponseError),
    ).toEqual([]);
  });
});
