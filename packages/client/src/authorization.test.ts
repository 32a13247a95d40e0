import { describe, expect, it, vi } from 'vitest';
import { createAuthorize, formatAuthorization } from './authorization.js';

it.each(['pst_0aZ', 'eyJhbGciOiJFUzI1NiJ9.e30.a-b_c', 'a~b+c/d=='])('takes %s', (token) => {
  expect(formatAuthorization(token)).toBe(`Bearer ${token}`);
});

it.each<unknown>([
  '',
  'secret\n',
  'secret\r\nx-admin: 1',
  'Bearer secret',
  '"secret"',
  'sécret',
  'pst_…',
  'sec=ret',
  // An unset variable from an untyped caller: as text it would look like a token.
  undefined,
])('rejects %j without quoting it', (token) => {
  const error = new TypeError('token must be letters, digits, or -._~+/=');
  expect(() => formatAuthorization(token as string)).toThrow(error);
});

describe('the source of a token', () => {
  const { signal } = new AbortController();

  /** A source whose promises the test resolves, in their order. */
  function open() {
    const resolvers: ((token: string) => void)[] = [];
    const source = vi.fn(() => new Promise<string>((resolve) => resolvers.push(resolve)));
    const resolve = (index: number, token: string) => resolvers[index]?.(token);
    return { source, authorize: createAuthorize(source), resolve };
  }

  it('is called again once its promise is settled, and shared until then', async () => {
    const { source, authorize, resolve } = open();
    const calls = [authorize(signal), authorize(signal)];
    resolve(0, 'alice');
    expect(await Promise.all(calls)).toEqual(['Bearer alice', 'Bearer alice']);
    const later = authorize(signal);
    resolve(1, 'bob');
    expect(await later).toBe('Bearer bob');
    expect(source).toHaveBeenCalledTimes(2);
  });

  it('is called for each call if it returns a string, even for concurrent calls', async () => {
    let session = 'alice';
    const authorize = createAuthorize(() => session);
    const first = authorize(signal);
    session = 'bob';
    expect(await Promise.all([first, authorize(signal)])).toEqual(['Bearer alice', 'Bearer bob']);
  });

  it('is called again after a rejection, once for all calls with that token and for calls that begin in the meantime', async () => {
    const { source, authorize, resolve } = open();
    // This one may still return the token that is about to be rejected.
    const before = authorize(signal);
    const after = [authorize(signal, 'Bearer old'), authorize(signal, 'Bearer old'), authorize(signal)];
    resolve(1, 'new');
    expect(await Promise.all(after)).toEqual(Array(3).fill('Bearer new'));
    resolve(0, 'old');
    expect(await before).toBe('Bearer old');
    expect(source).toHaveBeenCalledTimes(2);
  });

  it('shares a failure, and is called again after it', async () => {
    const broken = new Error('The vault is closed');
    const source = vi.fn().mockRejectedValueOnce(broken).mockResolvedValueOnce('new');
    const authorize = createAuthorize(source);
    const results = await Promise.allSettled([authorize(signal), authorize(signal)]);
    expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: broken }));
    expect(await authorize(signal)).toBe('Bearer new');
  });

  it('is called again after a call gave up waiting for it', async () => {
    const { authorize, resolve } = open();
    const control = new AbortController();
    const hung = authorize(control.signal);
    control.abort();
    const next = authorize(signal);
    resolve(1, 'new');
    expect(await next).toBe('Bearer new');
    resolve(0, 'old');
    expect(await hung).toBe('Bearer old');
  });
});
