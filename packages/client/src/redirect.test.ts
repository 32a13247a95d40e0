import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../test/listen.js';
import type { CallOptions } from './options.js';
import type { TsRestOptions } from './ts-rest-options.js';

let arrived = 0;
let baseUrl = '';

beforeEach(async () => {
  arrived = 0;
  const target = await listen((_, response) => {
    arrived++;
    response.setHeader('content-type', 'application/json').end('{"name":"Fern"}');
  });
  const source = await listen((_, response) => {
    response.writeHead(308, { location: `${target.url}/plants` }).end();
  });
  baseUrl = source.url;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('a redirect', () => {
  it('ends the call, and nothing goes where it leads', async () => {
    await expect(create()).rejects.toMatchObject({ name: 'NetworkError', outcome: 'unknown' });
    expect(arrived).toBe(0);
  });

  it('ends the call with its status where a runtime knows no such mode', async () => {
    vi.stubGlobal('Request', WorkersRequest);
    await expect(create()).rejects.toMatchObject({ name: 'UnexpectedResponseError', status: 308 });
    expect(arrived).toBe(0);
  });

  it('is followed when a call says so', async () => {
    expect(await create({ fetchOptions: { redirect: 'follow' } })).toMatchObject({ status: 200 });
    expect(arrived).toBe(1);
  });
});

/** Creates a plant by a client that finds out anew what the runtime knows. */
async function create(options: CallOptions & TsRestOptions = {}) {
  const { createClient } = await import('./create-client.js');
  const client = createClient({ baseUrl, token: 'pst_secret', retries: 0 });
  return client.createPlant({ body: { id: 1, name: 'Fern' }, ...options });
}

/** `Request` of Cloudflare Workers, as far as redirects go. */
class WorkersRequest {
  constructor(_url: string, { redirect }: RequestInit) {
    if (redirect === 'error') throw new TypeError('Invalid redirect value');
  }
}
