import { text } from 'node:stream/consumers';
import { contract } from '@plant-store/contract';
import { int64Members, routes } from '@plant-store/contract/routes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../test/listen.js';
import { createClient } from './create-client.js';
import { NetworkError } from './errors/network-error.js';
import { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { Fetch } from './options.js';

const baseUrl = 'https://example.com/api';
const token = 'pst_secret';

/** A `fetch` that gives every request the same reply. */
const answer = (status: number, body: unknown, headers?: Record<string, string>) =>
  vi.fn<Fetch>(async () =>
    Response.json(body, { status, headers: { 'x-request-id': '7', 'retry-after': '0', ...headers } }),
  );

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('@plant-store/contract/routes');
  vi.resetModules();
});

describe('createClient', () => {
  it('offers every operation of the contract and nothing else', () => {
    expect(Object.keys(createClient({ baseUrl, token }))).toEqual(Object.keys(contract));
  });

  it('rejects a base URL that is not valid', () => {
    expect(() => createClient({ baseUrl: '/api', token })).toThrow(/^baseUrl must be an absolute http/);
  });

  it('rejects a token that is not valid', () => {
    expect(() => createClient({ baseUrl, token: '' })).toThrow(/^token must be one or more letters/);
  });

  it('looks up the global fetch at each request', async () => {
    const client = createClient({ baseUrl, token });
    const fetch = answer(200, { name: 'Fern' });
    vi.stubGlobal('fetch', fetch);
    await client.createPlant({ body: { id: 1, name: 'Fern' } });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('supports an operation that is added to the routes, without a body when there is none', async () => {
    vi.resetModules();
    vi.doMock('@plant-store/contract/routes', () => ({
      int64Members,
      routes: { ...routes, countPlants: { method: 'GET', path: '/plants/count', statuses: [200] } },
    }));
    const fresh = await import('./create-client.js');
    const fetch = answer(200, { count: 2 });
    const client: object = fresh.createClient({ baseUrl, token, fetch });
    const countPlants: unknown = Reflect.get(client, 'countPlants');
    if (typeof countPlants !== 'function') throw new Error('The operation is missing');
    expect(await countPlants()).toMatchObject({ status: 200, body: { count: 2 } });
    expect(fetch).toHaveBeenCalledExactlyOnceWith(
      'https://example.com/api/plants/count',
      expect.objectContaining({
        method: 'GET',
        headers: { authorization: 'Bearer pst_secret', accept: 'application/json' },
        body: undefined,
      }),
    );
  });
});

describe('createPlant', () => {
  it.each(['https://example.com/api', 'https://example.com/api/'])('posts JSON below %s', async (baseUrl) => {
    const fetch = answer(200, { name: 'Fern' });
    await createClient({ baseUrl, token, fetch }).createPlant({
      body: { id: 1, name: 'Fern', tag: 'indoor' },
    });
    expect(fetch).toHaveBeenCalledExactlyOnceWith('https://example.com/api/plants', {
      redirect: 'error',
      method: 'POST',
      headers: {
        authorization: 'Bearer pst_secret',
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: '{"id":1,"name":"Fern","tag":"indoor"}',
      signal: expect.any(AbortSignal),
    });
  });

  it.each([
    [0, '0'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [9223372036854775807n, '9223372036854775807'],
    [-9223372036854775808n, '-9223372036854775808'],
  ])('writes the id %s exactly', async (id, digits) => {
    const fetch = answer(200, { name: 'Fern' });
    await createClient({ baseUrl, token, fetch }).createPlant({ body: { id, name: 'Fern', tag: undefined } });
    expect(fetch.mock.lastCall?.[1].body).toBe(`{"id":${digits},"name":"Fern"}`);
  });

  it('sends nothing when the id may have been rounded', async () => {
    const fetch = answer(200, { name: 'Fern' });
    const client = createClient({ baseUrl, token, fetch });
    await expect(client.createPlant({ body: { id: 2 ** 53, name: 'Fern' } })).rejects.toThrow(
      new RangeError('The number 9007199254740992 is not exact; pass a bigint'),
    );
    expect(fetch).not.toHaveBeenCalled();
  });

  it('returns the plant and the headers', async () => {
    const client = createClient({ baseUrl, token, fetch: answer(200, { name: 'Fern', tag: 'indoor' }) });
    const reply = await client.createPlant({ body: { id: 1, name: 'Fern', tag: 'indoor' } });
    expect(reply).toMatchObject({ status: 200, body: { name: 'Fern', tag: 'indoor' } });
    expect(reply.headers.get('x-request-id')).toBe('7');
    expect(reply).toMatchObject({ requestId: '7', replayed: false });
    expect(reply.response.headers).toBe(reply.headers);
  });

  it('reports that the plant had been stored before', async () => {
    const fetch = answer(200, { name: 'Fern' }, { 'idempotent-replayed': 'true' });
    const reply = await createClient({ baseUrl, token, fetch }).createPlant({
      body: { id: 1, name: 'Fern' },
    });
    expect(reply.replayed).toBe(true);
  });

  it.each([400, 401, 403, 429, 500, 503])('returns the error of a %i', async (status) => {
    const body = { error: status * 100, message: 'No.' };
    const client = createClient({ baseUrl, token, fetch: answer(status, body) });
    expect(await client.createPlant({ body: { id: 1, name: 'Fern' } })).toMatchObject({ status, body });
  });

  it('throws for a response that the API does not define', async () => {
    const client = createClient({ baseUrl, token, fetch: answer(502, 'Bad gateway') });
    await expect(client.createPlant({ body: { id: 1, name: 'Fern' } })).rejects.toThrow(
      UnexpectedResponseError,
    );
  });

  it('throws when no reply comes, and never names the token', async () => {
    const client = createClient({
      baseUrl,
      token,
      retries: 0,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    const reply = client.createPlant({ body: { id: 1, name: 'Fern' } });
    await expect(reply).rejects.toThrow(NetworkError);
    await expect(reply).rejects.toThrow(/^((?!secret).)*$/);
  });

  it('works over a connection, with the fetch of the runtime', async () => {
    const received: unknown[] = [];
    const { url } = await listen(async (request, response) => {
      const { authorization, accept, 'content-type': contentType } = request.headers;
      received.push(request.method, request.url, authorization, accept, contentType, await text(request));
      response.setHeader('content-type', 'application/json').end('{"name":"Weiße Lilie 🌱"}');
    });

    const client = createClient({ baseUrl: `${url}/api/`, token });
    const reply = await client.createPlant({ body: { id: 2n ** 63n - 1n, name: 'Weiße Lilie 🌱' } });

    expect(reply).toMatchObject({ status: 200, body: { name: 'Weiße Lilie 🌱' } });
    expect(received).toEqual([
      'POST',
      '/api/plants',
      'Bearer pst_secret',
      'application/json',
      'application/json',
      '{"id":9223372036854775807,"name":"Weiße Lilie 🌱"}',
    ]);
  });
});
