import { describe, expect, it } from 'vitest';
import { exchange } from './exchange.js';

const url = 'https://example.com/plants';

describe('exchange', () => {
  it('returns any response with its text', async () => {
    const { response, text } = await exchange(
      async () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { via: 'proxy' } }),
      url,
      { method: 'POST' },
    );
    expect([response.status, response.headers.get('via'), text]).toEqual([
      502,
      'proxy',
      '<h1>Bad gateway</h1>',
    ]);
  });

  it('passes on what fetch throws', async () => {
    const cause = new TypeError('fetch failed');
    await expect(exchange(() => Promise.reject(cause), url, {})).rejects.toBe(cause);
  });
});
