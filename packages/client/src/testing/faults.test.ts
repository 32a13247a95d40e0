import { describe, expect, it } from 'vitest';
import { createClient } from '../create-client.js';
import { createFakePlantStore } from './create-fake-plant-store.js';
import type { Fault } from './faults.js';

function storeThatMeets(...faults: Fault[]) {
  const store = createFakePlantStore();
  store.fail(...faults);
  /** Posts a plant, or another body. */
  const post = (body = '{"id":1,"name":"Fern"}', signal: AbortSignal | null = null) =>
    store.fetch(`${store.baseUrl}/plants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' },
      body,
      signal,
    });
  return { store, post };
}

describe('the script of faults', () => {
  it('applies to one request after the other, in order', async () => {
    const { store, post } = storeThatMeets({ kind: 'status', status: 502 }, { kind: 'delay', ms: 0 });
    store.fail({ kind: 'status', status: 429 });
    expect(store.faultsLeft).toBe(3);
    const replies = await Promise.all([post(), post(), post(), post()]);
    expect(replies.map(({ status }) => status)).toEqual([502, 200, 429, 200]);
    expect(store.faultsLeft).toBe(0);
  });

  it.each<Fault>([
    { kind: 'status', status: 99 },
    { kind: 'status', status: 600 },
    { kind: 'status', status: 204, body: 'text' },
    { kind: 'status', status: 502, headers: { 'not a name': '' } },
  ])('rejects an impossible reply: %j', (fault) => {
    const store = createFakePlantStore();
    expect(() => store.fail({ kind: 'refuse' }, fault)).toThrow();
    expect(store.faultsLeft).toBe(0);
  });
});

describe('a fault of an operation', () => {
  const body = { id: 1, name: 'Fern' };
  const open = (...faults: Fault[]) => {
    const { store } = storeThatMeets(...faults);
    return { store, client: createClient({ ...store, retries: 0 }) };
  };
  const unavailable = { kind: 'status', status: 503 } as const;

  it('applies to the next request of that operation, and not to earlier ones of others', async () => {
    const { store, client } = open({ operation: 'createPlant', ...unavailable });
    expect(await client.listChanges()).toMatchObject({ status: 200 });
    expect(await client.createPlants({ body: { plants: [body] } })).toMatchObject({ status: 200 });
    expect((await store.fetch(`${store.baseUrl}/nothing`, { method: 'POST' })).status).toBe(404);
    expect(store.faultsLeft).toBe(1);
    expect(await client.createPlant({ body })).toMatchObject({ status: 503 });
    expect(store.faultsLeft).toBe(0);
    expect(await client.createPlant({ body })).toMatchObject({ status: 200 });
  });

  it('applies in the order of the script, together with faults of any operation', async () => {
    const { store, client } = open(
      { operation: 'listPlants', kind: 'status', status: 500 },
      { kind: 'status', status: 429 },
      { operation: 'createPlant', ...unavailable },
    );
    const statuses = [await client.createPlant({ body }), await client.createPlant({ body })];
    expect(statuses.map(({ status }) => status)).toEqual([429, 503]);
    const head = { method: 'HEAD', headers: { authorization: `Bearer ${store.token}` } };
    expect((await store.fetch(`${store.baseUrl}/plants?limit=1`, head)).status).toBe(500);
    expect(store.faultsLeft).toBe(0);
  });

  it('applies as many times as it says, or until the faults are cleared', async () => {
    const { store, client } = open({ operation: 'getPlant', ...unavailable, times: Infinity });
    store.fail({ operation: 'createPlant', ...unavailable, times: 2 });
    const create = async () => (await client.createPlant({ body })).status;
    expect([await create(), await create(), await create()]).toEqual([503, 503, 200]);
    const get = async () => (await client.getPlant({ params: { id: 1 } })).status;
    expect([await get(), await get(), await get(), store.faultsLeft]).toEqual([503, 503, 503, Infinity]);
    store.clearFaults();
    expect([await get(), store.faultsLeft, store.plants.size]).toEqual([200, 0, 1]);
    store.fail({ ...unavailable, times: 3 });
    expect([store.faultsLeft, await get(), store.faultsLeft]).toEqual([3, 503, 2]);
  });

  it('may break a reply that waits for changes', async () => {
    const { client } = open({ operation: 'listChanges', kind: 'malformed', body: 'truncated' });
    await expect(client.listChanges({ query: { wait: 10 } })).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      bodyStart: expect.stringMatching(/^\{"changes"/),
    });
  });

  it.each<[object, string]>([
    [{ kind: 'dropped' }, 'There is no fault kind dropped'],
    [{ operation: 'storePlant' }, 'There is no operation storePlant'],
    [{ operation: 'toString' }, 'There is no operation toString'],
    [{ times: 0 }, 'times must be a positive integer or Infinity, not 0'],
    [{ times: 1.5 }, 'times must be a positive integer or Infinity, not 1.5'],
  ])('is rejected with %j', (scope, message) => {
    const store = createFakePlantStore();
    expect(() => store.fail({ ...unavailable, ...scope })).toThrow(message);
    expect(store.faultsLeft).toBe(0);
  });
});

const unknown = { name: 'NetworkError', outcome: 'unknown' };
const html = { 'Content-Type': 'text/html' };

it.each<[Fault, object, boolean]>([
  [{ kind: 'drop' }, unknown, false],
  [{ kind: 'drop', stored: true }, unknown, true],
  [{ kind: 'refuse' }, { name: 'NetworkError', outcome: 'not_sent' }, false],
  [{ kind: 'status', status: 503 }, { status: 503, body: { error: 50300 } }, false],
  [{ kind: 'status', status: 503, stored: true }, { status: 503, body: { error: 50300 } }, true],
  [{ kind: 'status', status: 502, headers: html, body: '<h1>' }, { status: 502, bodyStart: '<h1>' }, false],
  [{ kind: 'status', status: 504, stored: true }, { status: 504, bodyStart: '' }, true],
  [{ kind: 'status', status: 204 }, { status: 204, bodyStart: '' }, false],
  [
    { kind: 'malformed', body: 'html' },
    { status: 200, bodyStart: '<!doctype html><title>Plants</title>' },
    true,
  ],
  [{ kind: 'malformed', body: 'truncated' }, { status: 200, bodyStart: '{"name"' }, true],
  [{ kind: 'malformed', body: 'empty' }, { status: 200, bodyStart: '' }, true],
  [{ kind: 'delay', ms: 0 }, { status: 200, replayed: false }, true],
])('with %j the client reports %j; stored: %s', async (fault, expected, stored) => {
  const { store } = storeThatMeets(fault);
  const client = createClient({ ...store, retries: 0 });
  const request = { body: { id: 9223372036854775807n, name: 'Fern' } };
  const result = await client.createPlant(request).catch((error: unknown) => error);
  expect(result).toMatchObject(expected);
  expect([store.plants.size, store.faultsLeft]).toEqual([stored ? 1 : 0, 0]);
  expect(await client.createPlant(request)).toMatchObject({ status: 200, replayed: stored });
});

it.each<[Fault, string]>([
  [{ kind: 'drop' }, 'read ECONNRESET'],
  [{ kind: 'refuse' }, 'connect ECONNREFUSED'],
])('%j rejects as fetch of Node.js does', async (fault, message) => {
  const error: unknown = await storeThatMeets(fault)
    .post()
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TypeError);
  const [syscall, code] = message.split(' ');
  expect(error).toMatchObject({ message: 'fetch failed', cause: { message, syscall, code } });
});

it('a delay of a reply starts after the plant is stored, and ends with the signal', async () => {
  const { store, post } = storeThatMeets({ kind: 'delay', ms: 60_000, stored: true });
  const controller = new AbortController();
  const reply = post(undefined, controller.signal);
  await expect.poll(() => store.plants.size).toBe(1);
  controller.abort();
  await expect(reply).rejects.toThrow(/aborted/);
});

describe('a reply', () => {
  it('of another status has the headers and the body given', async () => {
    const headers = { ...html, 'Retry-After': '7' };
    const reply = await storeThatMeets({ kind: 'status', status: 502, headers, body: '<h1>' }).post();
    expect(Object.fromEntries(reply.headers)).toEqual({ 'content-type': 'text/html', 'retry-after': '7' });
  });

  it.each([400, 429, 500, 503])('of %i has an Error body of the registry by default', async (status) => {
    const reply = await storeThatMeets({ kind: 'status', status, headers: { 'Retry-After': '0' } }).post();
    expect(await reply.json()).toEqual({ error: status * 100, message: expect.any(String) });
    expect(reply.headers.get('retry-after')).toBe('0');
    expect(reply.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([undefined, false, true])('that is late comes after the delay, stored: %s', async (stored) => {
    const { post } = storeThatMeets({ kind: 'delay', ms: 50, ...(stored !== undefined && { stored }) });
    const startedAt = performance.now();
    const reply = await post();
    // Timers count in whole milliseconds.
    expect(performance.now() - startedAt).toBeGreaterThan(48);
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});
