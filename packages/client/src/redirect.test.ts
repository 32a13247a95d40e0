import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../test/listen.js';
import type { CallOptions, Fetch } from './options.js';
import { explainStatus } from './redirect.js';

let redirected = 0;
let arrived = 0;
let baseUrl = '';
let target = '';

beforeEach(async () => {
  [redirected, arrived] = [0, 0];
  const elsewhere = await listen((_, response) => {
    arrived++;
    response.setHeader('content-type', 'application/json').end('{"name":"Fern"}');
  });
  target = `${elsewhere.url}/plants`;
  const source = await listen((_, response) => {
    redirected++;
    response.writeHead(308, { location: target }).end();
  });
  baseUrl = source.url;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('a redirect', () => {
  it('ends the call at its first attempt with an error that names it, and its target gets no request', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Node.js/26' });
    await expect(create()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      message: `POST ${baseUrl}/plants got a redirect to another URL; update baseUrl`,
      outcome: 'unknown',
      status: 0,
      cause: expect.any(TypeError),
    });
    expect([redirected, arrived]).toEqual([1, 0]);
  });

  it.each([
    ['without a navigator', undefined],
    ['of another kind', { userAgent: 'Cloudflare-Workers' }],
  ])('is named with its target in runtimes %s', async (_, navigator) => {
    vi.stubGlobal('navigator', navigator);
    await expect(create()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      message: `POST ${baseUrl}/plants got a redirect to ${target}; update baseUrl, status 308`,
      status: 308,
    });
    expect([redirected, arrived]).toEqual([1, 0]);
  });

  it('is reported in browsers, although they hide its status and its target', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    const fetch = vi.fn<Fetch>(async () => Response.error());
    await expect(create({ fetch })).rejects.toMatchObject({
      message: `POST ${baseUrl}/plants got a redirect to another URL; update baseUrl`,
    });
    expect(fetch.mock.calls).toMatchObject([[`${baseUrl}/plants`, { redirect: 'manual' }]]);
  });

  it('is followed when a call asks for it', async () => {
    expect(await create({ fetchOptions: { redirect: 'follow' } })).toMatchObject({ status: 200 });
    expect([redirected, arrived]).toEqual([1, 1]);
  });
});

it('explains some statuses as a redirect, and no other', () => {
  const statuses = [0, 100, 204, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 404];
  const redirects = statuses.filter((status) => explainStatus(status) !== 'an unexpected status');
  expect(redirects).toEqual([0, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309]);
});

/** Creates a plant with a fresh client, which detects its runtime. */
async function create(options: CallOptions = {}) {
  const { createClient } = await import('./create-client.js');
  const client = createClient({ baseUrl, token: 'pst_secret' });
  return client.createPlant({ body: { id: 1, name: 'Fern' }, ...options });
}
