import { describe, expect, it } from 'vitest';
import {
  body,
  createTestClient,
  ok,
  reset,
  resultOf,
  scriptFetch,
  useFakeClock,
} from '../test/scripted-calls.js';
import { resolveOptions } from './call-options.js';
import type { CallOptions } from './options.js';
import { createTokens } from './tokens.js';

useFakeClock();

describe('options', () => {
  it('of a call override those of the client', async () => {
    const { fetch } = scriptFetch(ok());
    const client = createTestClient({
      fetch: scriptFetch().fetch,
      headers: { 'X-Tenant': 'a', 'x-kept': 'k' },
    });
    await resultOf(
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
    const { fetch } = scriptFetch(ok());
    await resultOf(
      createTestClient({ fetch }).store({
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

  it('may abort a call by a signal in `fetchOptions`', async () => {
    const signal = AbortSignal.abort('enough');
    const call = createTestClient({ fetch: scriptFetch(ok()).fetch }).store({
      body,
      fetchOptions: { signal },
    });
    expect(await resultOf(call)).toBe('enough');
  });
});

describe('hooks', () => {
  it('see each attempt, and never the token', async () => {
    const seen: unknown[] = [];
    const { fetch } = scriptFetch(reset, ok());
    const client = createTestClient({
      fetch,
      retries: 1,
      onRequest: (event) => seen.push(structuredClone(event)),
      onResponse: ({ response, ...event }) => seen.push({ ...event, status: response?.status }),
    });
    await resultOf(client.store({ body }));
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
    const { fetch } = scriptFetch(ok());
    const onRequest: CallOptions['onRequest'] = ({ headers }) => {
      headers['traceparent'] = '00-1-2-01';
    };
    await resultOf(createTestClient({ fetch, onRequest }).store({ body }));
    expect(fetch.mock.lastCall?.[1].headers).toMatchObject({
      traceparent: '00-1-2-01',
      authorization: 'Bearer pst_a',
    });
  });

  it('end the call when they throw', async () => {
    const error = new Error('The log is full');
    const { fetch } = scriptFetch(ok());
    const onResponse = () => {
      throw error;
    };
    expect(await resultOf(createTestClient({ fetch, onResponse }).store({ body }))).toBe(error);
  });
});

const defaults = { baseUrl: 'https://example.com', tokens: createTokens('pst_a') };
const given = () => Promise.reject(new Error('Never called'));

describe('an option that is undefined', () => {
  it.each([
    ['timeoutMs', 5, 30_000],
    ['attemptTimeoutMs', 5, 10_000],
    ['retries', 0, 2],
    ['fetch', given, expect.any(Function)],
    ['onRequest', given, undefined],
    ['onResponse', given, undefined],
  ])('counts as absent: %s', (name, ofClient, fallback) => {
    expect(resolveOptions({ ...defaults, [name]: ofClient }, { [name]: undefined })).toMatchObject({
      [name]: ofClient,
    });
    const { [name]: resolved }: Record<string, unknown> = {
      ...resolveOptions({ ...defaults, [name]: undefined }, {}),
    };
    expect(resolved).toEqual(fallback);
  });
});
