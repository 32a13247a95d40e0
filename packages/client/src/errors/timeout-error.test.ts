import { describe, expect, it } from 'vitest';
import { NetworkError } from './network-error.js';
import { isTimeoutError, TimeoutError } from './timeout-error.js';

describe('TimeoutError', () => {
  it('has its name in the stack, and shows whether the request may have been carried out', () => {
    const cause = new NetworkError('gone', { outcome: 'unknown' });
    const error = new TimeoutError('got no reply in 5 ms', { outcome: 'unknown', cause });
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', cause });
    expect(error.stack).toMatch(/^TimeoutError: got no reply/);
    expect(isTimeoutError(error)).toBe(true);
  });

  it('is distinguished from every other error, including those of the platform', () => {
    const others = [
      new NetworkError('gone', { outcome: 'unknown' }),
      new DOMException('late', 'TimeoutError'),
      null,
    ];
    expect(others.filter(isTimeoutError)).toEqual([]);
  });
});
