import { errors } from '@plant-store/contract/errors';
import { describe, expect, it } from 'vitest';
import { createClient } from '../create-client.js';
import { createFakePlantStore } from '../testing/create-fake-plant-store.js';
import { isRejectedError, RejectedError } from './rejected-error.js';
import { ensureSuccess, unwrap } from './unwrap.js';

const body = { id: 9223372036854775807n, name: 'Monstera deliciosa', tag: 'indoor' };
const plant = { name: 'Monstera deliciosa', tag: 'indoor' };
const other = { body: { ...body, name: 'Another' } };

function open() {
  const store = createFakePlantStore();
  const { baseUrl, token, fetch } = store;
  return { store, client: createClient({ baseUrl, token, fetch, retries: 0 }) };
}

describe('unwrap', () => {
  it('returns the plant of a reply, of its promise, and as what a promise is chained with', async () => {
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
      message: 'The id 9223372036854775807 belongs to another plant. Choose another id.',
      status: 400,
      number: errors.id_taken.error,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfterMs: undefined,
      headers: expect.any(Headers),
    });
  });

  it('passes on what the call itself rejects with', async () => {
    const { client, store } = open();
    store.fail({ kind: 'drop' });
    const error = await unwrap(client.createPlant({ body })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(isRejectedError(error)).toBe(false);
  });
});

describe('ensureSuccess', () => {
  it('returns the whole successful reply, with what unwrap leaves out', async () => {
    const { client } = open();
    expect(ensureSuccess(await client.createPlant({ body })).replayed).toBe(false);
    expect(await client.createPlant({ body }).then(ensureSuccess)).toMatchObject({
      replayed: true,
      body: plant,
    });
  });

  it('throws the rejection of any other', async () => {
    const { client, store } = open();
    store.fail({ kind: 'status', status: 503, headers: { 'Retry-After': '3' } });
    await expect(client.createPlant({ body }).then(ensureSuccess)).rejects.toMatchObject({
      status: 503,
      number: errors.overloaded.error,
      retryAfterMs: 3000,
    });
  });
});
