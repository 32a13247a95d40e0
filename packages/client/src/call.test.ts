import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, createClientOf } from './create-client.js';
import { NetworkError } from './errors/network-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import type { CallOptions, Fetch } from './options.js';
import type { Reply } from './read-reply.js';
import { resolveOptions } from './resolve-options.js';

type Operation = (request: { readonly body: { readonly id: bigint } } & CallOptions) => Promise<Reply>;
const route = { method: 'POST', path: '/plants' } as const;

/** A client with two operations: `store` may be retried, `add` may not. */
const createTestClient = (options: CallOptions) =>
  createClientOf<{ store: Operation; add: Operation }>(
    { store: route, add: { ...route, idempotent: false } },
    { ...options, token: options.token ?? 'pst_a', baseUrl: 'https://example.com' },
  );

/** The result of one attempt: a response, an error, or nothing. */
type Step = Response | Error | 'no response';

/** A `fetch` that runs one step per call, and records the times in milliseconds after the first call. */
function scriptFetch(steps: readonly Step[]) {
  const times: number[] = [];
  const fetch = vi.fn<Fetch>(async (_url, { signal }) => {
    const step = steps[times.push(performance.now() - start) - 1];
    if (step === undefined) throw new Error('There are no steps left');
    if (step instanceof Error) throw step;
    if (step instanceof Response) return step;
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  return { fetch, times };
}

const never = () => new Promise<never>(() => undefined);
const body = { id: 1n };
const ok = () => Response.json({ name: 'Fern' });
const errorReply = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: status * 100, message: 'No.' }, { status, headers });

/** The errors of `fetch` when a connection was refused, and when one broke. */
const [refused, reset] = ['connect', 'read'].map(
  (syscall) => new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { syscall }) }),
) as [TypeError, TypeError];

/** The result or error of a call, after all its timers have run. */
async function resultOf<Result>(call: Promise<Result>): Promise<Result | unknown> {
  const result = call.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return result;
}

/** Calls `store` with a script of attempts. */
async function callWith(steps: readonly Step[], options: CallOptions = {}) {
  const script = scriptFetch(steps);
  const result = await resultOf(createTestClient({ fetch: script.fetch }).store({ body, ...options }));
  return { ...script, result };
}

/** The result of a call that its signal aborts after a time. */
async function abortAfter(ms: number, options: CallOptions): Promise<unknown> {
  const control = new AbortController();
  const call = createTestClient(options).store({ body, signal: control.signal });
  const result = call.catch((reason: unknown) => reason);
  await vi.advanceTimersByTimeAsync(ms);
  control.abort('enough');
  return result;
}

let start = 0;
beforeEach(() => {
  vi.useFakeTimers({
    now: Date.UTC(2030, 0, 1),
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  });
  start = performance.now();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a request is retried', () => {
  it.each<[string, Step]>([
    ...[408, 425, 429, 500, 502, 503, 504].map((status): [string, Step] => [
      `a ${status}`,
      errorReply(status),
    ]),
    ['a refused connection', refused],
    ['a broken connection', reset],
    ['an attempt that times out', 'no response'],
  ])('after %s', async (_, step) => {
    const { result, times } = await callWith([step, ok()]);
    expect(result).toMatchObject({ status: 200 });
    expect(times).toHaveLength(2);
  });

  it.each([400, 404, 405, 501])('but not after the status %i', async (status) => {
    expect((await callWith([errorReply(status), ok()])).times).toHaveLength(1);
  });

  it('but not if a retry is not safe', async () => {
    const { fetch } = scriptFetch([errorReply(503), ok()]);
    expect(await resultOf(createTestClient({ fetch }).add({ body }))).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it.each([0, 1, 3])('at most %i times when `retries` is that', async (retries) => {
    const steps = Array.from({ length: 9 }, () => errorReply(503));
    const { result, times } = await callWith(steps, { retries });
    expect(result).toMatchObject({ status: 503 });
    expect(times).toHaveLength(retries + 1);
  });

  it('after a random fraction of a delay that doubles', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { times } = await callWith([reset, reset, reset, ok()], { retries: 3 });
    expect(times).toEqual([0, 100, 300, 700]);
  });

  it.each([
    ['3', 3_000],
    ['0', 0],
    [new Date(Date.UTC(2030, 0, 1, 0, 0, 7)).toUTCString(), 7_000],
    [new Date(Date.UTC(2029, 0, 1)).toUTCString(), 0],
    // Neither seconds nor a date, so the random delay applies.
    ['soon', 50],
  ])('after Retry-After: %s', async (value, ms) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25);
    const { times } = await callWith([errorReply(503, { 'retry-after': value }), ok()]);
    expect(times).toEqual([0, ms]);
  });

  it('but not if Retry-After exceeds the timeout of the call: then it ends at once with the reply', async () => {
    const { result } = await callWith([errorReply(429, { 'retry-after': '31' }), ok()]);
    expect(result).toMatchObject({ status: 429 });
    expect(performance.now()).toBe(start);
  });
});

describe('a call that gets no reply', () => {
  it.each([
    ['not_sent', [refused, refused, refused]],
    ['unknown', [reset, refused, refused]],
    ['unknown', [refused, refused, reset]],
    ['unknown', [errorReply(503), refused, refused]],
    ['rejected', [refused, errorReply(429), refused]],
    ['unknown', [reset, errorReply(429), refused]],
  ] as const)('rejects with the outcome %s', async (outcome, steps) => {
    const { result } = await callWith(steps);
    expect(result).toBeInstanceOf(NetworkError);
    const message = 'POST https://example.com/plants got no complete reply';
    expect(result).toMatchObject({ outcome, message, cause: steps.at(-1) });
  });

  it.each([
    ['http://localhost:5173', true],
    ['https://example.com:8443', true],
    ['capacitor://localhost', true],
    ['https://example.co', true],
    ['https://example.com', false],
    ['null', false],
  ])('on a page of the origin %s names the setting that permits it: %s', async (origin, isNamed) => {
    vi.stubGlobal('location', { origin });
    const { result } = await callWith([new TypeError('Failed to fetch')], { retries: 0 });
    const hint = isNamed ? `; it may need CORS_ORIGINS=${origin}` : '';
    const message = `POST https://example.com/plants got no complete reply${hint}`;
    expect(result).toMatchObject({ name: 'NetworkError', message });
  });

  it('rejects when the last attempt times out', async () => {
    const options = { retries: 1, attemptTimeoutMs: 1_000 };
    const { result, times } = await callWith(['no response', 'no response'], options);
    const message = 'POST https://example.com/plants got no reply in 1000 ms';
    expect(result).toBeInstanceOf(TimeoutError);
    expect(result).toMatchObject({ message, outcome: 'unknown', cause: expect.any(TimeoutError) });
    expect(times).toHaveLength(2);
  });

  it('rejects when it times out during an attempt', async () => {
    const { result } = await callWith([reset, 'no response'], { timeoutMs: 5_000 });
    const message = 'POST https://example.com/plants got no reply in 5000 ms';
    expect(result).toBeInstanceOf(TimeoutError);
    expect(result).toMatchObject({ message, outcome: 'unknown', cause: expect.any(NetworkError) });
    expect(performance.now() - start).toBe(5_000);
  });

  it('rejects when it times out before there is a token', async () => {
    const { result, times } = await callWith([ok()], { token: never, timeoutMs: 100 });
    expect(result).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(times).toEqual([]);
  });

  it('times out even if fetch ignores the signal', async () => {
    const { result } = await callWith([], { fetch: never, retries: 0 });
    expect(result).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  it('has no timeout when both are Infinity', async () => {
    const { fetch } = scriptFetch(['no response']);
    const options = { fetch, timeoutMs: Infinity, attemptTimeoutMs: Infinity };
    expect(await abortAfter(1e9, options)).toBe('enough');
  });

  it('names the method, the URL without its query, and the known details of the reply', async () => {
    const get = { method: 'GET', path: '/plants' } as const;
    const script = scriptFetch([
      new Response(new ReadableStream({ pull: (stream) => stream.error(reset) }), {
        headers: { 'x-request-id': 'a1' },
      }),
    ]);
    const client = createClientOf<{
      list(request: { query: { q: string } } & CallOptions): Promise<Reply>;
    }>({ list: get }, { baseUrl: 'https://example.com/api', token: 'pst_a', fetch: script.fetch });
    const error = await resultOf(client.list({ query: { q: 'Rose' }, retries: 0 }));
    const message = 'GET https://example.com/api/plants got no complete reply, status 200, request a1';
    const fields = { method: 'GET', url: 'https://example.com/api/plants', status: 200, requestId: 'a1' };
    expect(error).toMatchObject({ ...fields, name: 'NetworkError', message, outcome: 'unknown' });
  });
});

describe('the signal of the caller', () => {
  it.each([
    ['before the call', 0, []],
    ['during an attempt', 1, ['no response']],
    ['during a delay', 1, [errorReply(503, { 'retry-after': '9' })]],
  ] as const)('aborts the call immediately %s, with its reason', async (_, attempts, steps) => {
    const { fetch, times } = scriptFetch(steps);
    const control = new AbortController();
    const reason = new DOMException('The user left', 'AbortError');
    if (attempts === 0) control.abort(reason);
    const call = createTestClient({ fetch }).store({ body, signal: control.signal });
    const result = call.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    control.abort(reason);
    expect(await result).toBe(reason);
    expect(times).toHaveLength(attempts);
  });

  it('has no listener left after the call', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await callWith([errorReply(503), ok()], { signal });
    expect(add).toHaveBeenCalled();
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });
});

describe('a token that is rejected', () => {
  /** Accepts one token, and responds with 401 to any other. */
  const accepting = (token: string) =>
    vi.fn<Fetch>(async (_url, init) =>
      new Headers(init.headers).get('authorization') === `Bearer ${token}` ? ok() : errorReply(401),
    );

  it('is requested again once, also for concurrent calls and if a retry is not safe', async () => {
    const token = vi
      .fn()
      .mockResolvedValueOnce('old')
      .mockResolvedValueOnce('new')
      .mockResolvedValue('newer');
    const client = createTestClient({ token, fetch: accepting('new'), retries: 0 });
    const calls = [client.store({ body }), client.store({ body }), client.add({ body })];
    expect(await resultOf(Promise.all(calls))).toMatchObject(Array(3).fill({ status: 200 }));
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('ends the call with 401 when the new one is rejected too', async () => {
    const token = vi.fn().mockReturnValueOnce('a').mockReturnValueOnce('b').mockReturnValueOnce('c');
    const fetch = accepting('d');
    expect(await resultOf(createTestClient({ token, fetch }).store({ body }))).toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each(['pst_same', () => 'pst_same'])(
    'is not sent again if its source has no other token',
    async (token) => {
      const fetch = accepting('other');
      expect(await resultOf(createTestClient({ token, fetch }).store({ body }))).toMatchObject({
        status: 401,
      });
      expect(fetch).toHaveBeenCalledOnce();
    },
  );

  it('keeps the details of the reply in the error when its source does not return in time', async () => {
    const token = vi.fn().mockReturnValueOnce('old').mockReturnValueOnce(never());
    const client = createTestClient({ token, fetch: accepting('new'), timeoutMs: 100 });
    const message = 'POST https://example.com/plants got no reply in 100 ms, status 401';
    const error = { name: 'TimeoutError', message, status: 401, outcome: 'rejected' };
    expect(await resultOf(client.store({ body }))).toMatchObject(error);
  });

  it('is never sent when it is not valid', async () => {
    const { result, times } = await callWith([ok()], { token: () => 'a b' });
    expect(result).toMatchObject({ name: 'TypeError', message: expect.stringContaining('token must be') });
    expect(times).toEqual([]);
  });
});

describe('options', () => {
  it('for fetch are passed on', async () => {
    const { fetch } = await callWith([ok()], { fetchOptions: { credentials: 'include' } });
    expect(fetch.mock.lastCall?.[1]).toMatchObject({ credentials: 'include' });
  });

  const given = () => Promise.reject(new Error('Never called'));

  it.each([
    ['timeoutMs', 5],
    ['attemptTimeoutMs', 5],
    ['retries', 0],
    ['fetch', given],
    ['onRequest', given],
    ['onResponse', given],
    ['baseUrl', 'https://other.example'],
    ['signal', new AbortController().signal],
  ])('count as absent if they are undefined: %s', (name, ofClient) => {
    const resolve = (client: object, call: object) =>
      resolveOptions(resolveOptions({}, { baseUrl: 'https://example.com', token: 'pst_a', ...client }), call);
    expect(resolve({ [name]: ofClient }, { [name]: undefined })).toHaveProperty(name, ofClient);
    if (name !== 'baseUrl') expect(resolve({ [name]: undefined }, {})).not.toHaveProperty(name);
  });

  it.each([{ baseUrl: undefined }, { token: undefined }])(
    'have no default where they are required: %o',
    (without) => {
      const options = { baseUrl: 'https://example.com', token: 'pst_a', ...without };
      expect(() => resolveOptions({}, options)).toThrow(new RegExp(`^${Object.keys(without)} must be`));
    },
  );
});

describe('hooks', () => {
  it('see each attempt, and never the token', async () => {
    const seen: unknown[] = [];
    await callWith([reset, ok()], {
      retries: 1,
      onRequest: (event) => seen.push(structuredClone(event)),
      onResponse: ({ response, ...event }) => seen.push({ ...event, status: response?.status }),
    });
    const common = { operation: 'store', method: 'POST', url: 'https://example.com/plants' };
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    expect(seen).toEqual([
      { ...common, attempt: 1, headers },
      { ...common, attempt: 1, durationMs: 0, error: reset, status: undefined },
      { ...common, attempt: 2, headers },
      { ...common, attempt: 2, durationMs: 0, error: undefined, status: 200 },
    ]);
  });

  it('may add headers', async () => {
    const onRequest: CallOptions['onRequest'] = ({ headers }) => {
      headers['traceparent'] = '00-1-2-01';
    };
    const { fetch } = await callWith([ok()], { onRequest });
    const headers = { traceparent: '00-1-2-01', authorization: 'Bearer pst_a' };
    expect(fetch.mock.lastCall?.[1].headers).toMatchObject(headers);
  });

  it('are awaited, before the request and before the retry or the reply', async () => {
    const events: string[] = [];
    const note = (event: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      events.push(event);
    };
    const script = scriptFetch([reset, ok()]);
    const fetch: Fetch = (...request) => {
      events.push('fetch');
      return script.fetch(...request);
    };
    await resultOf(
      createTestClient({ fetch, onRequest: note('request'), onResponse: note('response') }).store({ body }),
    );
    expect(events).toEqual(['request', 'fetch', 'response', 'request', 'fetch', 'response']);
  });

  const error = new Error('The log is full');
  const throwing = () => {
    throw error;
  };

  it.each([
    ['throw', throwing],
    ['reject', () => Promise.reject(error)],
  ])('end the call when they %s', async (_, hook) => {
    const before = await callWith([ok()], { onRequest: hook });
    expect([before.result, before.times]).toEqual([error, []]);
    const after = await callWith([reset, ok()], { onResponse: hook });
    expect(after.result).toBe(error);
    expect(after.times).toHaveLength(1);
  });

  it.each([
    ['onRequest', 'not_sent', 0, undefined],
    ['onResponse', 'unknown', 1, 200],
  ] as const)('time out with the call when they hang: %s', async (name, outcome, attempts, status) => {
    const { result, times } = await callWith([ok()], { [name]: never, timeoutMs: 100 });
    expect(result).toMatchObject({ name: 'TimeoutError', outcome });
    expect(Object(result).status).toBe(status);
    expect(times).toHaveLength(attempts);
    expect(performance.now() - start).toBe(100);
  });

  it.each(['onRequest', 'onResponse'])('end with the signal when they hang: %s', async (name) => {
    const { fetch } = scriptFetch([ok()]);
    expect(await abortAfter(10, { fetch, [name]: never })).toBe('enough');
  });

  it('leave an attempt no more time than the call has', async () => {
    const onRequest = () => new Promise<void>((resolve) => setTimeout(resolve, 80));
    const { result } = await callWith(['no response'], { onRequest, timeoutMs: 100 });
    expect(result).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(performance.now() - start).toBe(100);
  });

  it('do not delay a call that aborts while they fail later', async () => {
    const onRequest = () => new Promise<void>((_, reject) => setTimeout(() => reject(error), 80));
    expect(await abortAfter(10, { fetch: vi.fn(), onRequest })).toBe('enough');
    // Vitest reports unhandled rejections.
    await vi.advanceTimersByTimeAsync(100);
  });
});

describe('ifMatch', () => {
  const request = { params: { id: 1 }, body: { name: 'Fern' } };
  const openWith = (...steps: readonly Step[]) => {
    const { fetch } = scriptFetch(steps);
    return { fetch, client: createClient({ baseUrl: 'https://example.com', token: 'pst_a', fetch }) };
  };

  it('sends the ETag of a reply or of an edit as a condition, and overrides a condition in the headers', async () => {
    const { fetch, client } = openWith(ok(), ok());
    await resultOf(
      client.updatePlant({ ...request, ifMatch: { etag: '"a"' }, headers: { 'If-Match': '"b"' } }),
    );
    await resultOf(client.deletePlant({ params: { id: 1 }, ifMatch: { etag: '"a"' } }));
    for (const [, init] of fetch.mock.calls) expect(init.headers).toMatchObject({ 'if-match': '"a"' });
  });

  it('does not make a delete conditional if it is undefined', async () => {
    const { fetch, client } = openWith(ok());
    await resultOf(client.deletePlant({ params: { id: 1 }, ifMatch: undefined }));
    expect(fetch.mock.lastCall?.[1].headers).not.toHaveProperty('if-match');
  });

  it('sends nothing without an ETag', async () => {
    const { fetch, client } = openWith();
    // Values that an untyped program may pass. `deletePlant` would delete without a condition.
    const lost = [null, '', false, '"a"', {}] as unknown as { etag: null }[];
    for (const ifMatch of [{ etag: null }, { etag: '' }, ...lost]) {
      for (const send of [client.updatePlant, client.deletePlant])
        expect(await resultOf<unknown>(send({ ...request, ifMatch }))).toEqual(
          new TypeError('ifMatch has no ETag'),
        );
    }
    expect(fetch).not.toHaveBeenCalled();
  });
});

it('validate gets the operation and each returned reply, and ends the call if it throws', async () => {
  const validate = vi.fn();
  const { result } = await callWith([errorReply(503), ok()], { validate });
  expect(result).toMatchObject({ status: 200 });
  expect(validate.mock.calls).toEqual([['store', result]]);
  const cause = new Error('No name');
  validate.mockImplementation(() => {
    throw cause;
  });
  const error = { name: 'UnexpectedResponseError', status: 200, cause, outcome: 'unknown' };
  expect((await callWith([ok()], { validate })).result).toMatchObject(error);
  expect((await callWith([ok()], { validate: () => Promise.reject(cause) })).result).toMatchObject(error);
});

it('a call waits for validate until it times out or is aborted', async () => {
  const { result } = await callWith([ok()], { validate: never, timeoutMs: 5_000 });
  expect(result).toMatchObject({ name: 'TimeoutError', status: 200 });
  expect(performance.now() - start).toBe(5_000);
  const reason = new Error('Enough');
  const control = new AbortController();
  const { signal } = control;
  const abort = () => {
    control.abort(reason);
    return never();
  };
  expect((await callWith([ok()], { validate: abort, signal })).result).toBe(reason);
});
