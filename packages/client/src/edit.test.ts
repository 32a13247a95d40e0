import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.js';
import { hasChanges, isEditConflict, saveEdit, startEdit } from './edit.js';
import type { ClientOptions, Fetch } from './options.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';

const id = 9223372036854775807n;
const params = { id };

/** Opens a store with a plant, and a function that updates it. */
async function open(options: Partial<ClientOptions> = {}) {
  const store = createFakePlantStore();
  const client = createClient({ ...store, retries: 0, ...options });
  const created = await client.createPlant({ body: { id, name: 'Rose', tag: 'indoor' } });
  const update = (name: string) =>
    client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name } });
  return { store, client, created, update, edit: startEdit(await client.getPlant({ params })) };
}

describe('a condition', () => {
  const body = { name: 'Fern' };

  it('is the reply to a get, a create, or an update, in one call', async () => {
    const { client, created } = await open();
    for (const ifMatch of [created, await client.getPlant({ params })]) {
      const updated = await client.updatePlant({ params, ifMatch, body });
      expect(updated.status).toBe(200);
      const again = await client.updatePlant({
        params,
        ifMatch: updated,
        body: { name: 'Rose', tag: 'indoor' },
      });
      expect(again.status).toBe(200);
    }
  });

  it('prevents an update or a delete of a plant that someone else has changed', async () => {
    const { client, store, update } = await open();
    const ifMatch = await client.getPlant({ params });
    await update('Theirs');
    expect(await client.updatePlant({ params, ifMatch, body })).toMatchObject({ status: 412 });
    expect(await client.deletePlant({ params, ifMatch })).toMatchObject({ status: 412 });
    expect(store.plants.get(id)).toEqual({ name: 'Theirs' });
    expect(await client.deletePlant({ params, ifMatch: await client.getPlant({ params }) })).toMatchObject({
      status: 204,
    });
  });
});

describe('an edit', () => {
  it('keeps the plant as seen and its ETag, frozen, even if its source changes', async () => {
    const { client } = await open();
    const reply = await client.getPlant({ params });
    const edit = startEdit(reply);
    expect(edit).toEqual({ kind: 'edit', plant: reply.body, etag: reply.etag });
    expect([Object.isFrozen(edit), Object.isFrozen(edit.plant)]).toEqual([true, true]);
    Object.assign(Object(reply.body), { name: 'Fern' });
    expect(edit.plant.name).toBe('Rose');
  });

  it('can be copied as data, and made of a plant with its ETag', async () => {
    const { store, client, edit } = await open();
    const { plant, etag } = edit;
    await saveEdit(client, structuredClone(startEdit({ plant, etag })), { name: 'Fern' });
    expect(store.plants.get(id)).toEqual({ name: 'Fern', tag: 'indoor' });
  });

  it('explains what it needs to programs without types', async () => {
    const { client, created } = await open();
    const untyped: (seen: unknown) => unknown = startEdit as never;
    const reply = client.getPlant({ params });
    for (const seen of [reply, (await reply).body, created])
      expect(() => untyped(seen)).toThrow(
        /^startEdit needs the whole reply with its ETag.* after a create, the ID$/,
      );
  });

  it('starts from the reply to a create with its id, without a get in between', async () => {
    const { store, client, created } = await open();
    await saveEdit(client, startEdit(created, id), { name: 'Fern' });
    expect(store.plants.get(id)).toEqual({ name: 'Fern', tag: 'indoor' });
  });

  it('does not start from a failed reply, or from one without an ETag', async () => {
    const { client } = await open();
    const missing = await client.getPlant({ params: { id: 7 } });
    expect(() => startEdit(missing)).toThrow(expect.objectContaining({ name: 'RejectedError', status: 404 }));
    const fetch = async () => Response.json({ id: 7, name: 'Rose' });
    const bare = await client.getPlant({ params: { id: 7 }, fetch });
    expect(() => startEdit(bare)).toThrow(/ETag/);
  });
});

it('hasChanges compares the changes with the plant as seen', () => {
  const edit = startEdit({ plant: { id, name: 'Rose' }, etag: '"a"' });
  const changing = [{ name: '' }, { tag: '' }, { name: 'Rose', tag: 'x' }];
  const all = [{}, { name: 'Rose' }, { tag: undefined }, ...changing];
  expect(all.filter((changes) => hasChanges(edit, changes))).toEqual(changing);
});

describe('saveEdit', () => {
  it('saves the changes, keeps all other fields, and removes one that is undefined', async () => {
    const { store, client, edit } = await open();
    const reply = await saveEdit(client, edit, { name: 'Fern' });
    expect(reply.body).toMatchObject({ id, name: 'Fern', tag: 'indoor' });
    await saveEdit(client, startEdit(reply), { tag: undefined });
    expect(store.plants.get(id)).toEqual({ name: 'Fern' });
  });

  it('keeps a field that only a later version knows, and sends nothing else of a stored plant', async () => {
    const bodies: unknown[] = [];
    const { client, store, edit } = await open();
    const addedAt = '2026-01-01T00:00:00.000Z';
    const plant = { id, idText: `${id}`, name: 'Rose', location: 'Hall', addedAt };
    const fetch: Fetch = (url, init) => {
      bodies.push(JSON.parse(String(init.body)));
      return store.fetch(url, init);
    };
    await saveEdit(client, startEdit({ plant, etag: edit.etag }), { name: 'Fern' }, { fetch });
    expect(bodies).toEqual([{ name: 'Fern', location: 'Hall' }]);
  });

  it('does not overwrite an update by someone else, and returns the current plant', async () => {
    const { store, client, update, edit } = await open();
    await update('Theirs');
    const error = await saveEdit(client, edit, { name: 'Mine' }).catch((thrown: unknown) => thrown);
    if (!isEditConflict(error)) throw error;
    expect(error).toMatchObject({
      name: 'RejectedError',
      status: 412,
      method: 'PUT',
      url: `${store.baseUrl}/plants/${id}`,
      outcome: 'rejected',
      current: { plant: { name: 'Theirs' } },
    });
    expect(inspect(error) + JSON.stringify(error)).not.toContain('Theirs');
    expect(store.plants.get(id)).toEqual({ name: 'Theirs' });
    await saveEdit(client, error.current, { name: 'Mine' });
    expect(store.plants.get(id)).toEqual({ name: 'Mine' });
  });

  it('is rejected with the 412 when the current plant cannot be read', async () => {
    const { store, client, update, edit } = await open();
    await update('Theirs');
    const reads = { fetch: () => Promise.reject(new TypeError('fetch failed')) };
    const { getPlant } = createClient({ ...store, retries: 0, ...reads });
    const error = await saveEdit({ ...client, getPlant }, edit, { name: 'Mine' }).catch((reason) => reason);
    expect([error, isEditConflict(error)]).toMatchObject([{ status: 412 }, false]);
  });

  it('succeeds when a reply was lost or someone else has saved the same', async () => {
    const { store, client, edit } = await open({ retries: 1 });
    store.fail({ kind: 'drop', stored: true });
    await saveEdit(client, edit, { name: 'Fern' });
    await saveEdit(client, edit, { name: 'Fern' });
    expect(store.plants.get(id)).toEqual({ name: 'Fern', tag: 'indoor' });
  });

  it('rejects as the calls do, for example once the plant was deleted', async () => {
    const { store, client, update, edit } = await open();
    store.fail({ kind: 'drop' });
    const name = { name: 'Mine' };
    await expect(saveEdit(client, edit, name)).rejects.toMatchObject({ name: 'NetworkError' });
    await update('Theirs');
    const aborted = AbortSignal.abort(new Error('Left the page'));
    await expect(saveEdit(client, edit, name, { signal: aborted })).rejects.toThrow('Left the page');
    await client.deletePlant({ params });
    const error = await saveEdit(client, edit, name).catch((thrown: unknown) => thrown);
    expect([error, isEditConflict(error)]).toMatchObject([{ status: 404 }, false]);
  });

  it('accepts only an edit, and no option replaces its ETag', async () => {
    const { store, client, update, edit } = await open();
    await update('Theirs');
    const { plant, etag } = startEdit(await client.getPlant({ params }));
    await expect(saveEdit(client, Object({ plant, etag }), { name: 'Mine' })).rejects.toThrow(/startEdit/);
    const options = { headers: { 'If-Match': etag } };
    await expect(saveEdit(client, edit, { name: 'Mine' }, options)).rejects.toMatchObject({ status: 412 });
    expect(store.plants.get(id)).toEqual({ name: 'Theirs' });
  });
});
