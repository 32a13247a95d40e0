import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../test/listen.js';
import type { CallOptions, TsRestOptions } from './options.js';
import { explainStatus } from './redirect.js';

let redirected = 0;
let arrived = 0;
let baseUrl = '';
let target = '';

beforeEach(async () => {
  redirected = 0;
  arrived = 0;
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
      message: 'Unexpected response with status 0: redirect to another URL; update baseUrl',
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
      message: `Unexpected response with status 308: redirect to ${target}; update baseUrl`,
      status: 308,
    });
    expect([redirected, arrived]).toEqual([1, 0]);
  });

  it('is named in browsers, which hide its status and its target', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    const fetch = vi.fn(async () => Response.error());
    await expect(create({ fetch })).rejects.toMatchObject({
      message: 'Unexpected response with status 0: redirect to another URL; update baseUrl',
    });
    expect(fetch).toHaveBeenCalledExactlyOnceWith(
      `${baseUrl}/plants`,
      expect.objectContaining({ redirect: 'manual' }),
    );
  });

  it('is followed when a call asks for it', async () => {
    expect(await create({ fetchOptions: { redirect: 'follow' } })).toMatchObject({ status: 200 });
    expect([redirected, arrived]).toEqual([1, 1]);
  });
});

describe('an undeclared status', () => {
  it.each([0, 301, 302, 303, 307, 308])('%i is explained as a redirect', (status) => {
    expect(explainStatus(status, target)).toBe(`redirect to ${target}; update baseUrl`);
  });

  it.each([100, 204, 300, 304, 305, 306, 309, 404])('%i is not explained as a redirect', (status) => {
    expect(explainStatus(status, target)).toBe('undeclared status');
  });
});

/** Creates a plant with a fresh client, which detects its runtime. */
async function create(options: CallOptions & TsRestOptions = {}) {
  const { createClient } = await import('./create-client.js');
  return createClient({ baseUrl, token: 'pst_secret' }).createPlant({
    body: { id: 1, name: 'Fern' },
    ...options,
  });
}
