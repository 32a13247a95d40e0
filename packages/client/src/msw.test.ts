import { errors } from '@plant-store/contract/errors';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../test/listen.js';
import { createClient } from './create-client.js';
import { createHandlers } from './msw.js';
import type { ClientOptions } from './options.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import type { Fault } from './testing/faults.js';

const baseUrl = 'https://plants.example.com/v1';
const body = { id: 9223372036854775807n, name: 'Monstera deliciosa' };
const plant = { name: body.name };

const store = createFakePlantStore();
const server = setupServer();

beforeEach(() => {
  store.clear();
  server.listen({ onUnhandledFrame: 'error' });
  server.use(...createHandlers(store, { baseUrl }));
});
afterEach(() => {
  server.resetHandlers();
  server.close();
});

/** A client with the fetch of the platform, which MSW intercepts. */
const open = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl, token: store.token, retries: 0, ...options });

describe('the handlers', () => {
  it('answer the fetch of the platform as the service does', async () => {
    const reply = await open().createPlant({ body });
    expect(reply).toMatchObject({ status: 200, body: plant, replayed: false, requestId: expect.any(String) });
    expect([...store.plants]).toEqual([[body.id, plant]]);
    expect(await open().createPlant({ body })).toMatchObject({ status: 200, replayed: true });
    const unauthorized = await open({ token: 'pst_another' }).createPlant({ body });
    expect(unauthorized).toMatchObject({ status: 401, body: { error: errors.invalid_token.error } });
  });

  it('reject another method of a path as the service does', async () => {
    const init = { method: 'PUT', headers: { 'X-Request-Id': 'a1' } };
    const response = await fetch(`${baseUrl}/plants?tag=indoor`, init);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
    expect(response.headers.get('x-request-id')).toBe('a1');
    expect(await response.json()).toMatchObject({ error: errors.method_not_allowed.error });
  });

  it('use the address of the store, unless another valid one is given', async () => {
    server.resetHandlers(...createHandlers(store));
    expect(await open({ baseUrl: store.baseUrl }).createPlant({ body })).toMatchObject({ status: 200 });
    expect(() => createHandlers(store, { baseUrl: 'plants' })).toThrow(TypeError);
  });
});

describe('a scripted failure', () => {
  it.each<[Fault, object, number]>([
    [{ kind: 'drop', stored: true }, { name: 'NetworkError', outcome: 'unknown' }, 1],
    [{ kind: 'refuse' }, { name: 'NetworkError', outcome: 'unknown' }, 0],
    [{ kind: 'status', status: 504 }, { name: 'UnexpectedResponseError', status: 504 }, 0],
    [{ kind: 'malformed', body: 'empty' }, { name: 'UnexpectedResponseError', bodyStart: '' }, 1],
    [{ kind: 'delay', ms: 1 }, { status: 200, body: plant }, 1],
  ])('reaches the caller: %j', async (fault, expected, stored) => {
    store.fail(fault);
    const result = await open()
      .createPlant({ body })
      .catch((error: unknown) => error);
    expect(result).toMatchObject(expected);
    expect([store.plants.size, store.faultsLeft]).toEqual([stored, 0]);
  });

  it('that is a delay ends when the request is aborted, and the request is not executed', async () => {
    store.fail({ kind: 'delay', ms: 3_600_000 });
    const control = new AbortController();
    const reason = new Error('Left the page');
    const result = open().createPlant({ body, signal: control.signal });
    await expect.poll(() => store.faultsLeft).toBe(0);
    control.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(store.plants.size).toBe(0);
  });
});

it('any other request passes to the handlers of others, or to the network', async () => {
  server.use(http.get('https://weather.example.com/', () => HttpResponse.text('Rain')));
  expect(await (await fetch('https://weather.example.com/')).text()).toBe('Rain');
  const { url: origin } = await listen((request, response) => response.end(`The page ${request.url}`));
  server.close();
  server.listen({ onUnhandledFrame: 'bypass' });
  server.resetHandlers(...createHandlers(store, { baseUrl: origin }));
  expect(await (await fetch(`${origin}/index.html`)).text()).toBe('The page /index.html');
  expect(await open({ baseUrl: origin }).createPlant({ body })).toMatchObject({ status: 200 });
});
