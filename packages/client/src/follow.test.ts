import { errors } from '@plant-store/contract/errors';
import type { ChangePage } from '@plant-store/contract/operations';
import { expect, it } from 'vitest';
import { createClient } from './create-client.js';
import { followChanges } from './follow.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

function open() {
  const store = createFakePlantStore();
  const queries: string[] = [];
  const client = createClient({ ...store, onRequest: ({ url }) => void queries.push(new URL(url).search) });
  const create = (...ids: number[]) =>
    client.createPlants({ body: { plants: ids.map((id) => ({ id, name: `plant ${id}` })) } });
  return { store, client, create, queries };
}

const describe = ({ changes }: ChangePage) => changes.map(({ kind, id }) => `${kind} ${id}`);

it('yields pages of stored plants, then each change as it is made, and resumes from any page', async () => {
  const { client, create } = open();
  await create(1, 2, 3);
  const follower = followChanges(client, { after: '0', limit: 2 });
  const take = async () => (await follower.next()).value;
  const first = await take();
  expect([describe(first), describe(await take())]).toEqual([['created 1', 'created 2'], ['created 3']]);
  const change = take();
  await client.deletePlant({ params: { id: 2 } });
  const { changes, next } = await change;
  expect(changes).toEqual([{ kind: 'deleted', id: 2n, idText: '2', at: expect.any(String) }]);
  const again = await followChanges(client, { after: first.next }).next();
  expect(describe(again.value)).toEqual(['created 3', 'deleted 2']);
  expect(again.value.next).toBe(next);
});

it('begins now by default, and waits at most for the given time', async () => {
  const { client, create, queries } = open();
  await create(1);
  const follower = followChanges(client, { wait: 1 });
  const change = follower.next();
  await expect.poll(() => queries.length).toBeGreaterThan(3);
  await create(2);
  expect(describe((await change).value)).toEqual(['created 2']);
  const waits = queries.slice(1).map((search) => new URLSearchParams(search).get('wait'));
  expect(waits.slice(0, 3)).toEqual(['0', '1', '1']);
});

it('resumes after temporary failures', async () => {
  const { store, client, create, queries } = open();
  await create(1);
  store.fail(
    { kind: 'drop' },
    { kind: 'status', status: 502, body: '<html>' },
    { kind: 'status', status: 500 },
  );
  expect(describe((await followChanges(client, { after: '0' }).next()).value)).toEqual(['created 1']);
  expect(queries.slice(1)).toEqual(Array(4).fill('?limit=1000&after=0&wait=25'));
});

it('pauses if a reply without changes comes immediately, for example from an instance that is about to stop', async () => {
  const { client } = open();
  let requests = 0;
  const listChanges: typeof client.listChanges = async (request) => {
    requests++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return client.listChanges({ ...request, query: { ...request?.query, wait: 0 } });
  };
  const control = new AbortController();
  const following = followChanges({ listChanges }, { after: '0', signal: control.signal }).next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // One that finds the position, and one that waits.
  expect(requests).toBeLessThanOrEqual(2);
  control.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});

it('requests the next page immediately after an empty one with a new position, and waits longer than the service', async () => {
  const { client } = open();
  const limits: unknown[] = [];
  const positions = ['7', '8', '8', '8'];
  const listChanges: typeof client.listChanges = async (request) => {
    limits.push(request?.attemptTimeoutMs);
    const reply = await client.listChanges({ query: { after: '0' } });
    const next = positions[limits.length - 1] ?? '';
    return reply.status === 200 ? { ...reply, body: { changes: [], next } } : reply;
  };
  const control = new AbortController();
  const following = followChanges({ listChanges }, { after: '1', wait: 5, signal: control.signal }).next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(limits).toEqual([15_000, 15_000, 15_000]);
  control.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});

it.each([
  [400, 40_000],
  [409, errors.cursor_expired.error],
])('does not call back for the rejection %i %i', async (status, error) => {
  const { store, client } = open();
  store.fail({ kind: 'status', status, body: JSON.stringify({ error, message: 'no' }) });
  const onCursorExpired = () => {
    throw new Error('called');
  };
  const rejected = await followChanges(client, { after: '0', onCursorExpired })
    .next()
    .catch((thrown: unknown) => thrown);
  expect(rejected).not.toHaveProperty('message', 'called');
});

it('ends with what rejects a request for good, or the reason of its signal', async () => {
  const { store, client } = open();
  const control = new AbortController();
  const aborted = followChanges(client, { signal: control.signal }).next();
  control.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  store.acceptTokens('another');
  const rejected = await followChanges(client)
    .next()
    .catch((error: unknown) => error);
  expect(isRejectedError(rejected, errors.invalid_token.error)).toBe(true);
});

it('calls back after a restore, and starts over with all stored plants, at the start or while it waits', async () => {
  const { store, client, create } = open();
  await create(1);
  const backup = new Map(store.plants);
  const copy = new Set<string>();
  let next: string | undefined = '0';
  let restarts = 0;
  const control = new AbortController();
  const follow = async () => {
    const onCursorExpired = async () => {
      await Promise.resolve();
      restarts++;
      copy.clear();
    };
    const options = { after: next, onCursorExpired, signal: control.signal };
    for await (const page of followChanges(client, options)) {
      for (const { idText } of page.changes) copy.add(idText);
      next = page.next;
      if (copy.has('9')) return;
    }
  };
  let following = follow();
  await create(2);
  await expect.poll(() => [...copy]).toEqual(['1', '2']);
  store.restore(backup);
  await create(3);
  await expect.poll(() => [...copy]).toEqual(['1', '3']);
  expect(restarts).toBe(1);
  await create(9);
  await following;
  store.restore(backup);
  following = follow();
  await expect.poll(() => [...copy]).toEqual(['1']);
  expect(restarts).toBe(2);
  control.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});

it('ends with an error after a restore if the program does not handle it', async () => {
  const { store, client, create } = open();
  await create(1);
  const { value } = await followChanges(client, { after: '0' }).next();
  store.restore(new Map());
  await create(2);
  const rejected = await followChanges(client, { after: value.next })
    .next()
    .catch((error: unknown) => error);
  expect(isRejectedError(rejected, errors.cursor_expired.error)).toBe(true);
});
