import { errors } from '@plant-store/contract/errors';
import { fieldsOf } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { toArray } from '../test/to-array.js';
import { createClient } from './create-client.js';
import { countTags, listAll } from './list.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

async function open(count: number) {
  const store = createFakePlantStore();
  const urls: string[] = [];
  const client = createClient({ ...store, onRequest: ({ url }) => void urls.push(url) });
  for (let id = 1; id <= count; id++) {
    await client.createPlant({ body: { id, name: `plant ${id}`, tag: id % 2 ? 'odd' : 'even' } });
  }
  urls.length = 0;
  return { store, client, urls };
}

it('returns an array of all plants, and sends nothing until it is awaited or iterated', async () => {
  const { client, urls } = await open(3);
  const listing = listAll(client, { limit: 2 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(urls).toEqual([]);
  for (const _ of ['once', 'again']) expect((await listing).map(({ id }) => id)).toEqual([1n, 2n, 3n]);
  expect(urls).toHaveLength(2);
  expect(await toArray(listing)).toEqual(await listing);
  expect(urls).toHaveLength(4);
});

it('lists the matching plants, in the requested order', async () => {
  const { client, urls } = await open(5);
  const range = { addedFrom: '2000-01-01T00:00:00Z', addedBefore: '9999-01-01T00:00:00Z' };
  const plants = await listAll(client, { tag: 'odd', q: 'PLANT', order: 'newest', ...range });
  expect(plants.map(({ id }) => id)).toEqual([5n, 3n, 1n]);
  expect(urls.map((url) => decodeURIComponent(new URL(url).search))).toEqual([
    `?limit=1000&order=newest&tag=odd&q=PLANT&addedFrom=${range.addedFrom}&addedBefore=${range.addedBefore}`,
  ]);
});

it('passes the filter of each field that has one', async () => {
  const { client, urls } = await open(0);
  const filters = fieldsOf(resources.plant).filter(([, { filter }]) => filter);
  expect(filters).not.toEqual([]);
  for (const [name] of filters) {
    await listAll(client, { [name]: `a ${name}` });
    expect(new URL(urls.at(-1) ?? '').searchParams.get(name)).toBe(`a ${name}`);
    await listAll(client, { [`${name}s`]: ['a', 'b'] });
    expect(new URL(urls.at(-1) ?? '').searchParams.getAll(`${name}s`)).toEqual(['a', 'b']);
  }
  await listAll(client, { without: 'tag' });
  expect(new URL(urls.at(-1) ?? '').searchParams.get('without')).toBe('tag');
});

it('requests a page only after the plants of the previous one are consumed', async () => {
  const { client, urls } = await open(4);
  for await (const { id } of listAll(client, { limit: 2 })) if (id === 2n) break;
  expect(urls).toHaveLength(1);
});

it('throws the rejection of a request, or the reason of a signal', async () => {
  const { client, store } = await open(1);
  const control = new AbortController();
  control.abort(new Error('enough'));
  await expect(listAll(client, { signal: control.signal })).rejects.toThrow('enough');
  store.acceptTokens('another');
  const rejected = await listAll(client).catch((error: unknown) => error);
  expect(isRejectedError(rejected, errors.invalid_token.error)).toBe(true);
});

it('adds the numbers of plants of each tag over all pages, the largest first', async () => {
  const { client } = await open(5);
  expect([...(await countTags(client))]).toEqual([
    ['odd', 3],
    ['even', 2],
  ]);
  const pages = [
    {
      tags: [
        { tag: 'a', plants: 1 },
        { tag: 'c', plants: 3 },
        { tag: '__proto__', plants: 3 },
      ],
      next: '1.tags.7',
    },
    { tags: [], next: '1.tags.9' },
    { tags: [{ tag: 'a', plants: 4 }] },
  ];
  const urls: string[] = [];
  const paged = createClient({
    baseUrl: 'http://127.0.0.1:3000',
    token: 'any',
    fetch: async (url) => Response.json(pages[urls.push(new URL(url).search) - 1]),
  });
  expect([...(await countTags(paged))]).toEqual([
    ['a', 5],
    ['__proto__', 3],
    ['c', 3],
  ]);
  expect(urls).toEqual(['', '?after=1.tags.7', '?after=1.tags.9']);
});
