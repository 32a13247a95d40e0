import { describe, expect, it } from 'vitest';
import { isNetworkError, NetworkError } from './network-error.js';
import { UnexpectedResponseError } from './unexpected-response-error.js';

describe('NetworkError', () => {
  it('has its name in the stack and keeps its cause', () => {
    const cause = new TypeError('fetch failed');
    const error = new NetworkError('POST http://127.0.0.1/plants got no complete reply', {
      outcome: 'not_sent',
      cause,
    });
    expect(error.name).toBe('NetworkError');
    expect(error.stack).toMatch(/^NetworkError: POST http/);
    expect(error.cause).toBe(cause);
    expect(error.outcome).toBe('not_sent');
    expect(isNetworkError(error)).toBe(true);
  });

  it('is distinguished from every other error', () => {
    const others = [
      new UnexpectedResponseError('undeclared status', 502, ''),
      new DOMException('gone', 'NetworkError'),
      new TypeError('fetch failed'),
      undefined,
    ];
    expect(others.filter(isNetworkError)).toEqual([]);
  });
});
