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

useFakeClock();

describe('a request is retried', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('after the status %i', async (status) => {
    const { fetch } = scriptFetch(errorReply(status), ok());
    expect(await resultOf(createTestClient({ fetch }).store({ body }))).toMatchObject({ status: 200 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a refused connection', refused],
    ['a broken connection', reset],
    ['an attempt that times out', 'no response' as const],
  ])('after %s', async (_, step) => {
    const { fetch } = scriptFetch(step, ok());
    expect(await resultOf(createTestClient({ fetch }).store({ body }))).toMatchObject({ status: 200 });
  });

  it.each([400, 404, 405, 501])('but not after the status %i', async (status) => {
    const { fetch } = scriptFetch(errorReply(status), ok());
    await resultOf(createTestClient({ fetch }).store({ body }));
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('but not where a retry is not safe', async () => {
    const { fetch } = scriptFetch(errorReply(503), ok());
    expect(await resultOf(createTestClient({ fetch }).add({ body }))).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('where the method makes it safe', async () => {
    const { fetch } = scriptFetch(reset, ok());
    const find = createTestClient({ fetch }).find({ params: { plant: 'a/b', leaf: 1n } });
    expect(await resultOf(find)).toMatchObject({ status: 200 });
    expect(fetch).toHaveBeenLastCalledWith('https://example.com/plants/a%2Fb/leaves/1', expect.anything());
  });

  it.each([0, 1, 3])('at most %i times when `retries` is that', async (retries) => {
    const { fetch } = scriptFetch(...Array.from({ length: 9 }, () => errorReply(503)));
    expect(await resultOf(createTestClient({ fetch, retries }).store({ body }))).toMatchObject({
      status: 503,
    });
    expect(fetch).toHaveBeenCalledTimes(retries + 1);
  });

  it('after a random part of a delay that doubles', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { fetch, times } = scriptFetch(reset, reset, reset, ok());
    await resultOf(createTestClient({ fetch, retries: 3 }).store({ body }));
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 100, 300, 700]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['3', 3_000],
    ['0', 0],
    [new Date(Date.UTC(2030, 0, 1, 0, 0, 7)).toUTCString(), 7_000],
    [new Date(Date.UTC(2029, 0, 1)).toUTCString(), 0],
  ])('%s is respected', async (value, ms) => {
    const { fetch, times } = scriptFetch(errorReply(503, { 'retry-after': value }), ok());
    await resultOf(createTestClient({ fetch }).store({ body }));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(ms);
  });

  it('is ignored when it is neither seconds nor a date', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25);
    const { fetch, times } = scriptFetch(errorReply(503, { 'retry-after': 'soon' }), ok());
    await resultOf(createTestClient({ fetch }).store({ body }));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(50);
  });

  it('beyond the timeout of the call ends it immediately, with the reply', async () => {
    const { fetch } = scriptFetch(errorReply(429, { 'retry-after': '31' }), ok());
    const start = performance.now();
    expect(await createTestClient({ fetch }).store({ body })).toMatchObject({ status: 429 });
    expect(performance.now()).toBe(start);
  });
});
