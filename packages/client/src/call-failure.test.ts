import { describe, expect, it, vi } from 'vitest';
import {
  body,
  createTestClient,
  errorReply,
  ok,
  refused,
  reset,
  resultOf,
  scriptFetch,
  useFakeClock,
} from '../test/scripted-calls.js';
import { NetworkError } from './errors/network-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { Fetch } from './options.js';

useFakeClock();

describe('a call that gets no reply', () => {
  it.each([
    ['not_sent', [refused, refused, refused]],
    ['unknown', [reset, refused, refused]],
    ['unknown', [refused, refused, reset]],
    ['unknown', [errorReply(503), refused, refused]],
  ] as const)('rejects with the outcome %s', async (outcome, steps) => {
    const error = await resultOf(createTestClient({ fetch: scriptFetch(...steps).fetch }).store({ body }));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      outcome,
      message: 'POST https://example.com/plants got no complete reply',
    });
    expect(error).toHaveProperty('cause', steps.at(-1));
  });

  it.each([
    ['http://localhost:5173', ': unreachable, or it needs CORS_ORIGINS=http://localhost:5173'],
    ['https://example.com:8443', ': unreachable, or it needs CORS_ORIGINS=https://example.com:8443'],
    ['capacitor://localhost', ': unreachable, or it needs CORS_ORIGINS=capacitor://localhost'],
    ['https://example.co', ': unreachable, or it needs CORS_ORIGINS=https://example.co'],
    ['https://example.com', ''],
    ['null', ''],
  ])('names the setting that permits the page, if that is of another origin: %s', async (origin, hint) => {
    vi.stubGlobal('location', { origin });
    const { fetch } = scriptFetch(new TypeError('Failed to fetch'));
    const error = await resultOf(createTestClient({ fetch, retries: 0 }).store({ body }));
    vi.unstubAllGlobals();
    expect(error).toMatchObject({
      name: 'NetworkError',
      message: `POST https://example.com/plants got no complete reply${hint}`,
    });
  });

  it('rejects when the last attempt times out', async () => {
    const { fetch, times } = scriptFetch('no response', 'no response');
    const call = createTestClient({ fetch, retries: 1, attemptTimeoutMs: 1_000 }).store({ body });
    const error = await resultOf(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      message: 'POST https://example.com/plants got no reply in 1000 ms',
      outcome: 'unknown',
      cause: expect.any(TimeoutError),
    });
    expect(times).toHaveLength(2);
  });

  it('rejects when it times out during an attempt', async () => {
    const { fetch } = scriptFetch(reset, 'no response');
    const start = performance.now();
    const error = await resultOf(createTestClient({ fetch, timeoutMs: 5_000 }).store({ body }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      message: 'POST https://example.com/plants got no reply in 5000 ms',
      outcome: 'unknown',
      cause: expect.any(NetworkError),
    });
    expect(performance.now() - start).toBe(5_000);
  });

  it('rejects when it times out before there is a token', async () => {
    const { fetch } = scriptFetch(ok());
    const token = () => new Promise<string>(() => undefined);
    const error = await resultOf(createTestClient({ fetch, token, timeoutMs: 100 }).store({ body }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(fetch).not.toHaveBeenCalled();
  });

  it('times out even if fetch ignores the signal', async () => {
    const fetch: Fetch = () => new Promise(() => undefined);
    const error = await resultOf(createTestClient({ fetch, retries: 0 }).store({ body }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  it('has no timeout when both are Infinity', async () => {
    const { fetch } = scriptFetch('no response');
    const control = new AbortController();
    const call = createTestClient({
      fetch,
      timeoutMs: Infinity,
      attemptTimeoutMs: Infinity,
      signal: control.signal,
    });
    const result = call.store({ body }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1e9);
    control.abort('enough');
    expect(await result).toBe('enough');
  });

  it('rejects for a response that the API does not define', async () => {
    const page = () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const { fetch } = scriptFetch(page(), page(), page());
    const error = await resultOf(createTestClient({ fetch }).store({ body }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ status: 502, bodyStart: '<h1>Bad gateway</h1>', outcome: 'unknown' });
  });
});

describe('the signal of the caller', () => {
  it.each([
    ['before the call', 0, []],
    ['during an attempt', 1, ['no response']],
    ['during a delay', 1, [errorReply(503, { 'retry-after': '9' })]],
  ] as const)('aborts the call immediately %s, with its reason', async (_, attempts, steps) => {
    const { fetch } = scriptFetch(...steps);
    const control = new AbortController();
    const reason = new DOMException('The user left', 'AbortError');
    if (attempts === 0) control.abort(reason);
    const result = createTestClient({ fetch })
      .store({ body, signal: control.signal })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    control.abort(reason);
    expect(await result).toBe(reason);
    expect(fetch).toHaveBeenCalledTimes(attempts);
  });

  it('has no listener left after the call', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await resultOf(
      createTestClient({ fetch: scriptFetch(errorReply(503), ok()).fetch }).store({ body, signal }),
    );
    expect(add).toHaveBeenCalled();
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });
});
