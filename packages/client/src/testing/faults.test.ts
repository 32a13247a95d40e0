import { describe, expect, it, vi } from 'vitest';
import { createFakePlantStore, type FakePlantStore } from './create-fake-plant-store.js';
import type { Fault, MalformedFault } from './faults.js';

/** Posts a plant, or whatever body is given. */
function post(
  store: FakePlantStore,
  body = '{"id":1,"name":"Fern"}',
  signal?: AbortSignal,
): Promise<Response> {
  return store.fetch(`${store.baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' },
    body,
    signal: signal ?? null,
  });
}

function storeThatMeets(...faults: Fault[]): FakePlantStore {
  const store = createFakePlantStore();
  store.fail(...faults);
  return store;
}

describe('the script of faults', () => {
  it('is met by one request after the other, in order', async () => {
    const store = storeThatMeets({ kind: 'status', status: 502 }, { kind: 'delay', ms: 0 });
    store.fail({ kind: 'status', status: 429 });
    expect(store.faultsLeft).toBe(3);
    const replies = await Promise.all([post(store), post(store), post(store), post(store)]);
    expect(replies.map(({ status }) => status)).toEqual([502, 200, 429, 200]);
    expect(store.faultsLeft).toBe(0);
  });

  it.each<Fault>([
    { kind: 'status', status: 99 },
    { kind: 'status', status: 600 },
    { kind: 'status', status: 204, body: 'text' },
    { kind: 'status', status: 502, headers: { 'not a name': '' } },
  ])('takes no reply that cannot be: %j', (fault) => {
    const store = createFakePlantStore();
    expect(() => store.fail({ kind: 'refuse' }, fault)).toThrow();
    expect(store.faultsLeft).toBe(0);
  });
});

describe('a delay', () => {
  it.each([undefined, false, true])('comes before the usual reply, stored: %s', async (stored) => {
    const store = storeThatMeets({ kind: 'delay', ms: 50, ...(stored !== undefined && { stored }) });
    const startedAt = performance.now();
    const reply = await post(store);
    // Timers count in whole milliseconds.
    expect(performance.now() - startedAt).toBeGreaterThan(48);
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(store.plants.size).toBe(1);
  });

  it('of a reply begins once the plant is stored', async () => {
    const store = storeThatMeets({ kind: 'delay', ms: 60_000, stored: true });
    const controller = new AbortController();
    const reply = post(store, undefined, controller.signal);
    await vi.waitFor(() => expect(store.plants.size).toBe(1));
    controller.abort();
    await expect(reply).rejects.toThrow(/aborted/);
  });
});

describe('a broken connection', () => {
  it.each<[Fault, string, string, number]>([
    [{ kind: 'drop' }, 'read', 'ECONNRESET', 0],
    [{ kind: 'drop', stored: true }, 'read', 'ECONNRESET', 1],
    [{ kind: 'refuse' }, 'connect', 'ECONNREFUSED', 0],
  ])('%j rejects as fetch does', async (fault, syscall, code, size) => {
    const store = storeThatMeets(fault);
    const error: unknown = await post(store).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      message: 'fetch failed',
      cause: { message: `${syscall} ${code}`, syscall, code },
    });
    expect(store.plants.size).toBe(size);
    expect((await post(store)).headers.get('idempotent-replayed')).toBe(size === 1 ? 'true' : null);
  });

  it('stores nothing of a request that is not valid', async () => {
    const store = storeThatMeets({ kind: 'drop', stored: true });
    await expect(post(store, '{"id":1}')).rejects.toThrow('fetch failed');
    expect(store.plants.size).toBe(0);
  });
});

describe('another status', () => {
  it('has the headers and the body given', async () => {
    const headers = { 'Content-Type': 'text/html', 'Retry-After': '7' };
    const reply = await post(storeThatMeets({ kind: 'status', status: 502, headers, body: '<h1>Bad</h1>' }));
    expect(Object.fromEntries(reply.headers)).toEqual({ 'content-type': 'text/html', 'retry-after': '7' });
    expect([reply.status, await reply.text()]).toEqual([502, '<h1>Bad</h1>']);
  });

  it.each([
    [400, 40000],
    [429, 42900],
    [500, 50000],
    [503, 50300],
  ])('%i has an Error body of the registry by default', async (status, error) => {
    const reply = await post(storeThatMeets({ kind: 'status', status, headers: { 'Retry-After': '0' } }));
    expect(await reply.json()).toEqual({ error, message: expect.any(String) });
    expect(reply.headers.get('retry-after')).toBe('0');
    expect(reply.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([204, 302, 504])('%i has no body by default', async (status) => {
    const reply = await post(storeThatMeets({ kind: 'status', status }));
    expect([reply.status, await reply.text()]).toEqual([status, '']);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])('comes after storing only if asked: %s', async (stored, size) => {
    const store = storeThatMeets({ kind: 'status', status: 503, stored });
    expect((await post(store)).status).toBe(503);
    expect(store.plants.size).toBe(size);
  });
});

describe('a malformed reply', () => {
  it.each<[MalformedFault['body'], string, string]>([
    ['html', 'text/html; charset=utf-8', '<!doctype html><title>Plants</title>'],
    ['truncated', 'application/json; charset=utf-8', '{"name"'],
    ['empty', 'application/json; charset=utf-8', ''],
  ])('%s comes with the usual status, after storing', async (body, contentType, text) => {
    const store = storeThatMeets({ kind: 'malformed', body });
    const reply = await post(store);
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
      200,
      contentType,
      text,
    ]);
    expect(store.plants.size).toBe(1);
  });
});
