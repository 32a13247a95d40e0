import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient } from '../create-client.js';
import type { CallOptions, Fetch } from '../options.js';
import { createFakePlantStore } from './create-fake-plant-store.js';
import type { Fault } from './faults.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa', tag: 'houseplant' };

describe('a client of the fake plant store', () => {
  it('creates a plant under an exact id', async () => {
    const { baseUrl, token, fetch, plants } = createFakePlantStore();
    expectTypeOf(fetch).toExtend<Fetch>();
    const reply = await createClient({ baseUrl, token, fetch }).createPlant({ body });
    expect(reply).toMatchObject({ status: 200, body: { name: body.name, tag: body.tag }, replayed: false });
    expect([...plants]).toEqual([[body.id, { name: body.name, tag: body.tag }]]);
  });

  it.each<[Fault, boolean]>([
    [{ kind: 'drop', stored: true }, true],
    [{ kind: 'drop' }, false],
    [{ kind: 'refuse' }, false],
    [{ kind: 'status', status: 503, headers: { 'Retry-After': '0' } }, false],
    [{ kind: 'status', status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad</h1>' }, false],
    [{ kind: 'status', status: 504, stored: true }, true],
  ])('retries after %j; replayed: %s', async (fault, replayed) => {
    const store = createFakePlantStore();
    const { baseUrl, token, fetch } = store;
    store.fail(fault);
    const reply = await createClient({ baseUrl, token, fetch }).createPlant({ body });
    expect(reply).toMatchObject({ status: 200, replayed });
    expect([store.plants.size, store.faultsLeft]).toEqual([1, 0]);
  });

  it.each<[Fault, object, CallOptions?]>([
    [{ kind: 'refuse' }, { name: 'NetworkError', outcome: 'not_sent' }],
    [{ kind: 'drop' }, { name: 'NetworkError', outcome: 'unknown' }],
    [
      { kind: 'drop', stored: true },
      { name: 'NetworkError', outcome: 'unknown' },
    ],
    [
      { kind: 'delay', ms: 60_000, stored: true },
      { name: 'TimeoutError', outcome: 'unknown' },
      { timeoutMs: 200 },
    ],
    [
      { kind: 'malformed', body: 'html' },
      { name: 'UnexpectedResponseError', outcome: 'unknown' },
    ],
    [
      { kind: 'malformed', body: 'truncated' },
      { name: 'UnexpectedResponseError', outcome: 'unknown' },
    ],
    [
      { kind: 'malformed', body: 'empty' },
      { name: 'UnexpectedResponseError', outcome: 'unknown' },
    ],
  ])('that does not retry reports %j', async (fault, error, options) => {
    const store = createFakePlantStore();
    const { baseUrl, token, fetch } = store;
    const client = createClient({ baseUrl, token, fetch, retries: 0 });
    store.fail(fault);
    await expect(client.createPlant({ body, ...options })).rejects.toMatchObject(error);
  });

  it('asks for a new token when the old one is not accepted any more', async () => {
    const store = createFakePlantStore({ token: 'first' });
    const { baseUrl, fetch } = store;
    const client = createClient({ baseUrl, token: () => store.token, fetch });
    await client.createPlant({ body });
    store.acceptTokens('second');
    expect(await client.createPlant({ body })).toMatchObject({ status: 200, replayed: true });
  });

  it('ends a call with the reason of its signal', async () => {
    const store = createFakePlantStore();
    const { baseUrl, token, fetch } = store;
    store.fail({ kind: 'delay', ms: 60_000 });
    const signal = AbortSignal.timeout(10);
    const call = createClient({ baseUrl, token, fetch }).createPlant({ body, signal });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', message: /aborted due to timeout/ });
    expect(store.plants.size).toBe(0);
  });
});
