import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NetworkError } from './errors/network-error.js';
import { exchange } from './exchange.js';

const url = 'https://example.com/plants';

describe('exchange', () => {
  it('gives status, headers and text of any response', async () => {
    const raw = await exchange(
      async () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { via: 'proxy' } }),
      url,
      { method: 'POST' },
    );
    expect({ ...raw, headers: raw.headers.get('via') }).toEqual({
      status: 502,
      headers: 'proxy',
      text: '<h1>Bad gateway</h1>',
    });
  });

  it('throws a NetworkError with its cause when fetch fails', async () => {
    const cause = new TypeError('fetch failed');
    const reply = exchange(() => Promise.reject(cause), url, { method: 'POST' });
    await expect(reply).rejects.toThrow(NetworkError);
    await expect(reply).rejects.toMatchObject({
      message: 'POST https://example.com/plants got no complete reply',
      cause,
    });
  });

  it('throws a NetworkError when nothing listens', async () => {
    const server = await listen(() => {});
    await server.close();
    await expect(exchange(fetch, server.url, { method: 'POST' })).rejects.toThrow(NetworkError);
  });

  it('throws a NetworkError when the connection breaks within the body', async () => {
    const server = await listen((_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"name":', () => response.destroy());
    });
    await expect(exchange(fetch, server.url, { method: 'POST' })).rejects.toThrow(NetworkError);
  });

  it.each([
    ['an abort', AbortSignal.abort()],
    ['a time-out', AbortSignal.timeout(0)],
  ])('passes %s through unchanged', async (_, signal) => {
    const server = await listen(() => {});
    const thrown = await exchange((url, init) => fetch(url, { ...init, signal }), server.url, {
      method: 'POST',
    }).catch((error: unknown) => error);
    expect(thrown).toBe(signal.reason);
  });
});

/** Starts a server on a free port and closes it, at the latest, when the test ends. */
async function listen(listener: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return { url: `http://127.0.0.1:${address.port}`, close };
}
