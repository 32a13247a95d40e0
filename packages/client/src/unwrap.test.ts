import { inspect } from 'node:util';
import { errors } from '@plant-store/contract/errors';
import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.js';
import type { RequestSummary } from './errors/plant-store-error.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { ensureSuccess, isRejectedError, RejectedError, unwrap } from './unwrap.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa', tag: 'indoor' };
const plant = { name: 'Monstera deliciosa', tag: 'indoor' };
const other = { body: { ...body, name: 'Another' } };

function open() {
  const store = createFakePlantStore();
  return { store, client: createClient({ ...store, retries: 0 }) };
}

describe('unwrap', () => {
  it('returns the plant of a reply, of its promise, and as a callback of a promise', async () => {
    const { client } = open();
    expect(unwrap(await client.createPlant({ body }))).toEqual(plant);
    expect(await unwrap(client.createPlant({ body }))).toEqual(plant);
    expect(await client.createPlant({ body }).then(unwrap)).toEqual(plant);
  });

  it('throws the rejection of a reply immediately, and rejects with that of a promise', async () => {
    const { client } = open();
    await client.createPlant({ body });
    const reply = await client.createPlant(other);
    expect(() => unwrap(reply)).toThrow(RejectedError);
    await expect(unwrap(client.createPlant(other))).rejects.toMatchObject({
      name: 'RejectedError',
      message: 'Plant 9223372036854775807 already exists with different values. Choose another ID.',
      status: 400,
      error: errors.id_taken.error,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfterMs: undefined,
      headers: expect.any(Headers),
    });
  });

  it('throws for a 304', async () => {
    const { client, store } = open();
    await client.createPlant({ body });
    const params = { id: body.id };
    const { etag } = await client.getPlant({ params });
    const call = client.getPlant({ params, headers: { 'if-none-match': etag ?? '' } });
    const error = await unwrap(call).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      method: 'GET',
      status: 304,
      bodyStart: '',
    });
    const { requestId } = await call;
    const url = `${store.baseUrl}/plants/${body.id}`;
    expect(error).toHaveProperty('message', `GET ${url} got no body, status 304, request ${requestId}`);
  });

  it('passes on the rejection of the call itself', async () => {
    const { client, store } = open();
    store.fail({ kind: 'drop' });
    const error = await unwrap(client.createPlant({ body })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(isRejectedError(error)).toBe(false);
  });
});

it('ensureSuccess returns the whole successful reply, and throws the rejection of any other', async () => {
  const { client, store } = open();
  expect(ensureSuccess(await client.createPlant({ body })).replayed).toBe(false);
  const reply = await client.createPlant({ body }).then(ensureSuccess);
  expect(reply).toMatchObject({ replayed: true, body: plant });
  store.fail({ kind: 'status', status: 503, headers: { 'Retry-After': '3' } });
  await expect(client.createPlant({ body }).then(ensureSuccess)).rejects.toMatchObject({
    status: 503,
    error: errors.overloaded.error,
    retryAfterMs: 3000,
  });
});

const request: RequestSummary = {
  method: 'PUT',
  url: 'https://example.com/plants/7',
  status: 400,
  requestId: 'a1',
  outcome: 'rejected',
};

function rejection(headers: Record<string, string> = {}, error: number = errors.id_taken.error) {
  return new RejectedError({
    status: 400,
    body: { error, message: 'Plant 7 already exists with different values. Choose another ID.' },
    headers: new Headers(headers),
    request,
  });
}

describe('RejectedError', () => {
  it.each([
    [{}, undefined],
    [{ 'Retry-After': '0' }, 0],
    [{ 'Retry-After': '120' }, 120_000],
    [{ 'Retry-After': 'Fri, 01 Jan 1999 00:00:00 GMT' }, 0],
    [{ 'Retry-After': 'soon' }, undefined],
  ])('reads %j as a wait of %s ms', (headers, ms) => {
    expect(rejection(headers).retryAfterMs).toBe(ms);
  });

  it('can be written as JSON with its message, and sent to another thread as data', () => {
    const error = rejection({ 'Retry-After': '2' });
    const data = {
      name: 'RejectedError',
      message: 'Plant 7 already exists with different values. Choose another ID.',
      status: 400,
      error: 40003,
      method: 'PUT',
      url: 'https://example.com/plants/7',
      outcome: 'rejected',
      requestId: 'a1',
      retryAfterMs: 2000,
    };
    expect(JSON.parse(JSON.stringify({ error }))).toEqual({ error: data });
    expect(structuredClone(error.toJSON())).toEqual(data);
    expect(structuredClone(error)).toMatchObject({ message: data.message });
  });

  it('names the request and the reply when printed, but neither the token, the query, nor a plant', async () => {
    const { client, store } = open();
    await client.createPlant({ body });
    const { method, url } = await client
      .listPlants({ query: { q: body.name } })
      .then(({ request }) => request);
    expect([method, url]).toEqual(['GET', `${store.baseUrl}/plants`]);
    store.fail({ kind: 'status', status: 500 });
    const error = await unwrap(client.listPlants({ query: { q: body.name } })).catch(
      (thrown: unknown) => thrown,
    );
    const shown = inspect(error, { depth: null, showHidden: true, getters: true }) + JSON.stringify(error);
    expect(inspect(error)).toMatch(
      /method: 'GET'.*url: '.*\/plants'.*requestId: '.*status: 500.*error: 50000/s,
    );
    for (const secret of [store.token, 'Monstera', '?']) expect(shown).not.toContain(secret);
  });

  it.each([
    [[{ kind: 'status', status: 429 }], 'rejected'],
    [[{ kind: 'status', status: 503 }], 'unknown'],
    [
      [
        { kind: 'drop', stored: true },
        { kind: 'status', status: 429 },
      ],
      'unknown',
    ],
    [[{ kind: 'refuse' }, { kind: 'status', status: 429 }], 'rejected'],
  ] as const)('knows after %j whether something may have happened: %s', async (faults, outcome) => {
    const { store } = open();
    const client = createClient({ ...store, retries: faults.length - 1 });
    for (const fault of faults) store.fail(fault);
    await expect(unwrap(client.createPlant({ body }))).rejects.toMatchObject({
      name: 'RejectedError',
      outcome,
    });
  });
});

describe('isRejectedError', () => {
  it('compares the error, also one of a later version, with the given ones', () => {
    const error: unknown = rejection();
    expect([isRejectedError(error), isRejectedError(rejection({}, 40_099))]).toEqual([true, true]);
    expect(isRejectedError(error, errors.overloaded.error, errors.id_taken.error)).toBe(true);
    expect(isRejectedError(error, errors.overloaded.error)).toBe(false);
  });
});
