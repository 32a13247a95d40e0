import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClientOf } from './create-client-of.js';
import { NetworkError } from './errors/network-error.js';
import { TimeoutError } from './errors/timeout-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions, ClientOptions } from './options.js';
import type { Fetch } from './retry/exchange.js';

/** Operations of which the client knows nothing. */
interface Made {
  readonly store: {
    readonly path: '/plants';
    readonly body: { readonly id: bigint };
    readonly responses: { readonly 200: unknown };
  };
  readonly add: Made['store'];
  readonly leaves: {
    readonly find: { readonly path: '/plants/:plant/leaves/:leaf'; readonly responses: { 200: unknown } };
  };
}
const statuses = [200, 400, 401, 429, 500, 503];
const routes = {
  store: { method: 'POST', path: '/plants', statuses, idempotent: true },
  add: { method: 'POST', path: '/plants', statuses },
  leaves: { find: { method: 'GET', path: '/plants/:plant/leaves/:leaf', statuses } },
};

/** What one attempt meets: a reply, an error, or nothing at all. */
type Step = Response | Error | 'silence';

const ok = () => Response.json({ name: 'Fern' });
const fault = (status: number, headers?: HeadersInit) =>
  Response.json({ error: status * 100, message: 'No.' }, { status, ...(headers && { headers }) });
const refused = new TypeError('fetch failed', {
  cause: Object.assign(new Error('refused'), { syscall: 'connect' }),
});
const reset = new TypeError('fetch failed', {
  cause: Object.assign(new Error('reset'), { syscall: 'read' }),
});

/** A `fetch` that meets one step after the other, and notes when. */
function scripted(...steps: Step[]) {
  const times: number[] = [];
  const fetch = vi.fn<Fetch>(async (_url, { signal }) => {
    times.push(performance.now());
    const step = steps.shift();
    if (step === undefined) throw new Error('The script is over');
    if (step instanceof Error) throw step;
    if (step instanceof Response) return step;
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  return { fetch, times };
}

const clientOf = (options: CallOptions) =>
  createClientOf<Made>(routes, {
    baseUrl: 'https://example.com',
    token: 'pst_a',
    ...options,
  } as ClientOptions);
const body = { id: 1n };

/** What a call comes to once all its timers have run. */
async function outcomeOf<Result>(call: Promise<Result>): Promise<Result | unknown> {
  const settled = call.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return settled;
}

beforeEach(
  () =>
    void vi.useFakeTimers({
      now: Date.UTC(2030, 0, 1),
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    }),
);
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a request is repeated', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('after the status %i', async (status) => {
    const { fetch } = scripted(fault(status), ok());
    expect(await outcomeOf(clientOf({ fetch }).store({ body }))).toMatchObject({ status: 200 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a refused connection', refused],
    ['a broken connection', reset],
    ['an attempt that takes too long', 'silence' as const],
  ])('after %s', async (_, step) => {
    const { fetch } = scripted(step, ok());
    expect(await outcomeOf(clientOf({ fetch }).store({ body }))).toMatchObject({ status: 200 });
  });

  it.each([400, 404, 405, 501])('but not after the status %i', async (status) => {
    const { fetch } = scripted(fault(status), ok());
    await outcomeOf(clientOf({ fetch }).store({ body }));
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('but not where repeating is not safe', async () => {
    const { fetch } = scripted(fault(503), ok());
    expect(await outcomeOf(clientOf({ fetch }).add({ body }))).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('where the method makes it safe', async () => {
    const { fetch } = scripted(reset, ok());
    const find = clientOf({ fetch }).leaves.find({ params: { plant: 'a/b', leaf: 1n } });
    expect(await outcomeOf(find)).toMatchObject({ status: 200 });
    expect(fetch).toHaveBeenLastCalledWith('https://example.com/plants/a%2Fb/leaves/1', expect.anything());
  });

  it.each([0, 1, 3])('%i times at most when told so', async (retries) => {
    const { fetch } = scripted(...Array.from({ length: 9 }, () => fault(503)));
    expect(await outcomeOf(clientOf({ fetch, retries }).store({ body }))).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledTimes(retries + 1);
  });

  it('after a random part of a pause that doubles', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { fetch, times } = scripted(reset, reset, reset, ok());
    await outcomeOf(clientOf({ fetch, retries: 3 }).store({ body }));
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 100, 300, 700]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['3', 3_000],
    ['0', 0],
    [new Date(Date.UTC(2030, 0, 1, 0, 0, 7)).toUTCString(), 7_000],
    [new Date(Date.UTC(2029, 0, 1)).toUTCString(), 0],
  ])('%s is waited for', async (value, ms) => {
    const { fetch, times } = scripted(fault(503, { 'retry-after': value }), ok());
    await outcomeOf(clientOf({ fetch }).store({ body }));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(ms);
  });

  it('that is neither seconds nor a date changes nothing', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25);
    const { fetch, times } = scripted(fault(503, { 'retry-after': 'soon' }), ok());
    await outcomeOf(clientOf({ fetch }).store({ body }));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(50);
  });

  it('beyond the time of the call ends it at once, with the reply', async () => {
    const { fetch } = scripted(fault(429, { 'retry-after': '31' }), ok());
    const start = performance.now();
    expect(await clientOf({ fetch }).store({ body })).toMatchObject({ status: 429 });
    expect(performance.now()).toBe(start);
  });
});

describe('a call that gets no reply', () => {
  it.each([
    ['not_sent', [refused, refused, refused]],
    ['unknown', [reset, refused, refused]],
    ['unknown', [refused, refused, reset]],
    ['unknown', [fault(503), refused, refused]],
  ] as const)('rejects with the outcome %s', async (outcome, steps) => {
    const error = await outcomeOf(clientOf({ fetch: scripted(...steps).fetch }).store({ body }));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      outcome,
      message: 'POST https://example.com/plants got no complete reply',
    });
    expect(error).toHaveProperty('cause', steps.at(-1));
  });

  it('rejects when the last attempt takes too long', async () => {
    const { fetch, times } = scripted('silence', 'silence');
    const call = clientOf({ fetch, retries: 1, attemptTimeoutMs: 1_000 }).store({ body });
    const error = await outcomeOf(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      message: 'POST https://example.com/plants got no reply in 1000 ms',
      outcome: 'unknown',
      cause: expect.any(TimeoutError),
    });
    expect(times).toHaveLength(2);
  });

  it('rejects when its time is over, in the midst of an attempt', async () => {
    const { fetch } = scripted(reset, 'silence');
    const start = performance.now();
    const error = await outcomeOf(clientOf({ fetch, timeoutMs: 5_000 }).store({ body }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      message: 'POST https://example.com/plants got no reply in 5000 ms',
      outcome: 'unknown',
      cause: expect.any(NetworkError),
    });
    expect(performance.now() - start).toBe(5_000);
  });

  it('rejects when its time is over before the token is there', async () => {
    const { fetch } = scripted(ok());
    const token = () => new Promise<string>(() => undefined);
    const error = await outcomeOf(clientOf({ fetch, token, timeoutMs: 100 }).store({ body }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(fetch).not.toHaveBeenCalled();
  });

  it('ends in time though fetch heeds no signal', async () => {
    const fetch: Fetch = () => new Promise(() => undefined);
    const error = await outcomeOf(clientOf({ fetch, retries: 0 }).store({ body }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  it('waits for ever when told so', async () => {
    const { fetch } = scripted('silence');
    const control = new AbortController();
    const call = clientOf({ fetch, timeoutMs: Infinity, attemptTimeoutMs: Infinity, signal: control.signal });
    const settled = call.store({ body }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1e9);
    control.abort('enough');
    expect(await settled).toBe('enough');
  });

  it('rejects with the reply that is none of the interface', async () => {
    const page = () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const { fetch } = scripted(page(), page(), page());
    const error = await outcomeOf(clientOf({ fetch }).store({ body }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ status: 502, bodyStart: '<h1>Bad gateway</h1>', outcome: 'unknown' });
  });
});

describe('the signal of the caller', () => {
  it.each([
    ['before the call', 0, []],
    ['in an attempt', 1, ['silence']],
    ['in a pause', 1, [fault(503, { 'retry-after': '9' })]],
  ] as const)('ends the call at once %s, with its reason', async (_, attempts, steps) => {
    const { fetch } = scripted(...steps);
    const control = new AbortController();
    const reason = new DOMException('The user left', 'AbortError');
    if (attempts === 0) control.abort(reason);
    const settled = clientOf({ fetch })
      .store({ body, signal: control.signal })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    control.abort(reason);
    expect(await settled).toBe(reason);
    expect(fetch).toHaveBeenCalledTimes(attempts);
  });

  it('is listened to no longer than the call lasts', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await outcomeOf(clientOf({ fetch: scripted(fault(503), ok()).fetch }).store({ body, signal }));
    expect(add).toHaveBeenCalled();
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });
});

describe('a token that is refused', () => {
  /** Accepts one token, and answers any other with 401. */
  const accepting = (token: string) =>
    vi.fn<Fetch>(async (_url, init) =>
      new Headers(init.headers).get('authorization') === `Bearer ${token}` ? ok() : fault(401),
    );

  it('is asked for again, once', async () => {
    const token = vi.fn().mockReturnValueOnce('old').mockResolvedValueOnce('new');
    const client = clientOf({ token, fetch: accepting('new'), retries: 0 });
    expect(await outcomeOf(client.add({ body }))).toMatchObject({ status: 200 });
    expect(await outcomeOf(client.add({ body }))).toMatchObject({ status: 200 });
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('is asked for once by calls that run at the same time', async () => {
    const token = vi
      .fn()
      .mockResolvedValueOnce('old')
      .mockResolvedValueOnce('new')
      .mockResolvedValue('newer');
    const client = clientOf({ token, fetch: accepting('new') });
    const calls = Array.from({ length: 5 }, () => client.store({ body }));
    expect(await outcomeOf(Promise.all(calls))).toMatchObject(Array(5).fill({ status: 200 }));
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('ends with the 401 when the new one is refused too', async () => {
    const token = vi.fn().mockReturnValueOnce('a').mockReturnValueOnce('b').mockReturnValueOnce('c');
    const fetch = accepting('d');
    expect(await outcomeOf(clientOf({ token, fetch }).store({ body }))).toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each(['pst_same', () => 'pst_same'])('is not sent again when there is no other', async (token) => {
    const fetch = accepting('other');
    expect(await outcomeOf(clientOf({ token, fetch }).store({ body }))).toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('is asked for again after its source has failed', async () => {
    const broken = new Error('The vault is closed');
    const token = vi.fn().mockRejectedValueOnce(broken).mockResolvedValueOnce('new');
    const client = clientOf({ token, fetch: accepting('new') });
    expect(await outcomeOf(client.store({ body }))).toBe(broken);
    expect(await outcomeOf(client.store({ body }))).toMatchObject({ status: 200 });
  });

  it('is never sent when it cannot be one', async () => {
    const { fetch } = scripted(ok());
    const error = await outcomeOf(clientOf({ token: () => 'a b', fetch }).store({ body }));
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('token must be') });
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('options', () => {
  it('of a call come before those of the client', async () => {
    const { fetch } = scripted(ok());
    const client = clientOf({ fetch: scripted().fetch, headers: { 'X-Tenant': 'a', 'x-kept': 'k' } });
    await outcomeOf(
      client.store({
        body,
        fetch,
        baseUrl: 'https://other.example',
        token: 'pst_b',
        headers: { 'x-tenant': 'b' },
      }),
    );
    expect(fetch).toHaveBeenCalledExactlyOnceWith(
      'https://other.example/plants',
      expect.objectContaining({
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-tenant': 'b',
          'x-kept': 'k',
          authorization: 'Bearer pst_b',
        },
      }),
    );
  });

  it("may have the names of ts-rest's client", async () => {
    const { fetch } = scripted(ok());
    await outcomeOf(
      clientOf({ fetch }).store({
        body,
        extraHeaders: { 'X-Tenant': 'b' },
        fetchOptions: { credentials: 'include' },
        overrideClientOptions: { baseUrl: 'https://other.example' },
      }),
    );
    expect(fetch.mock.lastCall).toMatchObject([
      'https://other.example/plants',
      { credentials: 'include', headers: { 'x-tenant': 'b' } },
    ]);
  });

  it('may end a call by a signal among those for fetch', async () => {
    const signal = AbortSignal.abort('enough');
    const call = clientOf({ fetch: scripted(ok()).fetch }).store({ body, fetchOptions: { signal } });
    expect(await outcomeOf(call)).toBe('enough');
  });
});

describe('hooks', () => {
  it('see each attempt, and never the token', async () => {
    const seen: unknown[] = [];
    const { fetch } = scripted(reset, ok());
    const client = clientOf({
      fetch,
      retries: 1,
      onRequest: (event) => seen.push(structuredClone(event)),
      onResponse: ({ response, ...event }) => seen.push({ ...event, status: response?.status }),
    });
    await outcomeOf(client.store({ body }));
    const common = { operation: 'store', method: 'POST', url: 'https://example.com/plants' };
    expect(seen).toEqual([
      { ...common, attempt: 1, headers: { accept: 'application/json', 'content-type': 'application/json' } },
      { ...common, attempt: 1, durationMs: 0, error: reset, status: undefined },
      { ...common, attempt: 2, headers: { accept: 'application/json', 'content-type': 'application/json' } },
      { ...common, attempt: 2, durationMs: 0, error: undefined, status: 200 },
    ]);
    expect(JSON.stringify(seen)).not.toContain('pst_a');
  });

  it('may add headers', async () => {
    const { fetch } = scripted(ok());
    const onRequest: CallOptions['onRequest'] = ({ headers }) => {
      headers['traceparent'] = '00-1-2-01';
    };
    await outcomeOf(clientOf({ fetch, onRequest }).store({ body }));
    expect(fetch.mock.lastCall?.[1].headers).toMatchObject({
      traceparent: '00-1-2-01',
      authorization: 'Bearer pst_a',
    });
  });

  it('end the call when they throw', async () => {
    const fault = new Error('The log is full');
    const { fetch } = scripted(ok());
    const onResponse = () => {
      throw fault;
    };
    expect(await outcomeOf(clientOf({ fetch, onResponse }).store({ body }))).toBe(fault);
  });
});
