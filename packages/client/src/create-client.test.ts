import { text } from 'node:stream/consumers';
import { contract } from '@plant-store/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../test/listen.js';
import { createClient, createClientOf } from './create-client.js';
import type { Fetch } from './options.js';
import type { Reply } from './read-reply.js';

const baseUrl = 'https://example.com/api';
const token = 'pst_secret';

/** A client to whose `fetch` every request gets the same reply. */
function open(status: number, reply: unknown, headers: Record<string, string> = {}) {
  const fetch = vi.fn<Fetch>(async () =>
    Response.json(reply, { status, headers: { 'x-request-id': '7', 'retry-after': '0', ...headers } }),
  );
  return { fetch, client: createClient({ baseUrl: `${baseUrl}/`, token, fetch }) };
}

afterEach(() => vi.unstubAllGlobals());

describe('createClient', () => {
  it('offers every operation of the contract and nothing else', () => {
    expect(Object.keys(createClient({ baseUrl, token }))).toEqual(Object.keys(contract));
  });

  it.each([
    ['baseUrl must be an http(s) URL', { baseUrl: '/api', token }],
    ['token must be letters', { baseUrl, token: '' }],
  ])('rejects invalid options: %s', (message, options) => {
    expect(() => createClient(options)).toThrow(message);
  });

  it('has the URL of the service, and lists only operations', () => {
    const client = createClient({ baseUrl: new URL(`${baseUrl}//`), token });
    expect(client.baseUrl).toBe(baseUrl);
    expect({ ...client }).not.toHaveProperty('baseUrl');
    expect({ ...client }).not.toHaveProperty('withOptions');
  });

  it('looks up the global fetch at each request', async () => {
    const client = createClient({ baseUrl, token });
    const { fetch } = open(200, { name: 'Fern' });
    vi.stubGlobal('fetch', fetch);
    await client.createPlant({ body: { id: 1, name: 'Fern' } });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('supports other operations, without a body when there is none', async () => {
    const { fetch } = open(200, { count: 2 });
    const client = createClientOf<{ countPlants(): Promise<Reply> }>(
      { countPlants: { method: 'GET', path: '/plants/count' } },
      { baseUrl, token, fetch },
    );
    expect(await client.countPlants()).toMatchObject({ status: 200, body: { count: 2 } });
    expect(fetch).toHaveBeenCalledExactlyOnceWith(`${baseUrl}/plants/count`, {
      redirect: 'error',
      method: 'GET',
      headers: { authorization: 'Bearer pst_secret', accept: 'application/json' },
      body: undefined,
      signal: expect.any(AbortSignal),
    });
  });
});

describe('withOptions', () => {
  it('creates a client with other options, and does not change the first one', async () => {
    const { client, fetch } = open(200, { name: 'Fern' });
    const other = client
      .withOptions({
        headers: { 'X-Tenant': 'a', 'x-kept': 'k' },
        baseUrl: 'https://other.example/',
        retries: 1,
      })
      .withOptions({ headers: { 'x-tenant': 'b' }, token: 'pst_other', retries: undefined });
    expect([other.baseUrl, client.baseUrl]).toEqual(['https://other.example', baseUrl]);
    expect(Object.keys(other)).toEqual(Object.keys(client));
    await other.listPlants({ headers: { 'X-Tenant': 'c' } });
    await client.listPlants();
    const accept = 'application/json';
    expect(fetch.mock.calls).toMatchObject([
      [
        'https://other.example/plants',
        { headers: { accept, 'x-tenant': 'c', 'x-kept': 'k', authorization: 'Bearer pst_other' } },
      ],
      [`${baseUrl}/plants`, { headers: { accept, authorization: `Bearer ${token}` } }],
    ]);
  });

  it('does not affect calls in flight', async () => {
    const { client, fetch } = open(503, { error: 50300, message: 'Later.' });
    const call = client.listPlants({ retries: 1 });
    const other = client.withOptions({ token: 'pst_other', retries: 0 });
    await call;
    await other.listPlants();
    const sent = fetch.mock.calls.map(([, init]) => new Headers(init.headers).get('authorization'));
    expect(sent).toEqual(['Bearer pst_secret', 'Bearer pst_secret', 'Bearer pst_other']);
  });

  it('shares no promise of a token with the first client', async () => {
    const { client, fetch } = open(200, { plants: [] });
    const alice = client.withOptions({
      token: () => new Promise((resolve) => setTimeout(resolve, 5, 'alice')),
    });
    const first = alice.listPlants();
    await alice.withOptions({ token: async () => 'bob' }).listPlants();
    await first;
    const sent = fetch.mock.calls.map(([, init]) => new Headers(init.headers).get('authorization'));
    expect(sent).toEqual(['Bearer bob', 'Bearer alice']);
  });

  it.each([{ baseUrl: '/api' }, { token: '' }])('rejects what is not valid: %o', (options) => {
    const { client } = open(200, {});
    expect(() => client.withOptions(options)).toThrow(TypeError);
  });
});

describe('createPlant', () => {
  it('works over a connection, with the fetch of the runtime', async () => {
    const received: unknown[] = [];
    const { url } = await listen(async (request, response) => {
      const { authorization, accept, 'content-type': type } = request.headers;
      received.push(`${request.method} ${request.url}`, authorization, accept, type, await text(request));
      response.setHeader('content-type', 'application/json').end('{"name":"Weiße Lilie 🌱"}');
    });
    const client = createClient({ baseUrl: `${url}/api/`, token });
    const reply = await client.createPlant({ body: { id: 2n ** 63n - 1n, name: 'Weiße Lilie 🌱' } });
    expect(reply).toMatchObject({ status: 200, body: { name: 'Weiße Lilie 🌱' } });
    const json = 'application/json';
    const sent = '{"id":9223372036854775807,"name":"Weiße Lilie 🌱"}';
    expect(received).toEqual(['POST /api/plants', 'Bearer pst_secret', json, json, sent]);
  });
});
