// @vitest-environment jsdom
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryClient } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { Client } from '../src/client.js';
import { createClient } from '../src/create-client.js';
import { createTanstackQueryUtils } from '../src/tanstack-query.js';
import { createFakePlantStore } from '../src/testing/index.js';

afterEach(cleanup);

/** The module of a page that begins with this name. */
const load = (page: string, name: string) => import(/* @vite-ignore */ `../docs/${page}.md/${name}`);

function open(count = 0) {
  const store = createFakePlantStore();
  const client = createClient(store);
  const plants = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `Plant ${index + 1}`,
    tag: 'indoor',
  }));
  return { store, client, plants };
}

async function openWithPlants(count: number) {
  const opened = open(count);
  await opened.client.createPlants({ body: { plants: opened.plants } });
  return opened;
}

it('uploads 5,000 plants with progress, and can be canceled and continued', async () => {
  const { store, client, plants } = open(5_000);
  const { uploadPlants } = await load('recipes', 'upload-plants.ts');
  const done: number[] = [];
  const control = new AbortController();
  const cancel = (count: number) => {
    done.push(count);
    control.abort(new Error('canceled'));
  };
  await expect(uploadPlants(client, plants, cancel, control.signal)).rejects.toThrow('canceled');
  expect(store.plants.size).toBeLessThan(5_000);
  const problems: string[] = [];
  await client.createPlant({ body: { id: 5_000, name: 'Other' } });
  const show = (count: number, found: readonly string[]) => {
    done.push(count);
    problems.push(...found);
  };
  await uploadPlants(client, plants, show, new AbortController().signal);
  expect(store.plants.size).toBe(5_000);
  expect(done.at(-1)).toBe(5_000);
  expect(problems).toEqual([expect.stringMatching(/^Plant 5000: /)]);
});

it('keeps a copy of all plants, across restarts and a restored backup', async () => {
  const { store, client } = await openWithPlants(2);
  const { mirrorPlants } = await load('recipes', 'mirror-plants.ts');
  const names = new Map<bigint, string>();
  let saved: string | undefined;
  const copy = {
    place: async () => saved,
    apply: async (stored: { id: bigint; name: string }[], deleted: bigint[], place: string) => {
      for (const { id, name } of stored) names.set(id, name);
      for (const id of deleted) names.delete(id);
      saved = place;
    },
    clear: async () => names.clear(),
  };
  /** Runs the program until the copy has so many plants. */
  async function run(count: number) {
    const control = new AbortController();
    const ended = mirrorPlants(client, copy, control.signal).catch((error: unknown) => error);
    await vi.waitUntil(() => names.size === count, { timeout: 30_000 });
    control.abort(new Error('stop'));
    expect(await ended).toEqual(new Error('stop'));
  }
  await run(2);
  await client.deletePlant({ params: { id: 1 } });
  await run(1);
  await client.createPlants({
    body: {
      plants: [
        { id: 3, name: 'Oak' },
        { id: 4, name: 'Elm' },
      ],
    },
  });
  await run(3);
  store.restore(new Map([[7n, { name: 'Ivy' }]]));
  await run(1);
  expect([...names]).toEqual([[7n, 'Ivy']]);
});

it('a token source fetches a token again shortly before it expires, and after a failure', async () => {
  const { createTokenSource } = await load('recipes', 'create-token-source.ts');
  vi.useFakeTimers({ now: 0 });
  const fetchToken = vi.fn(async () => ({
    accessToken: `pst_${fetchToken.mock.calls.length}`,
    expiresInSeconds: 300,
  }));
  const source = createTokenSource(fetchToken);
  expect(await Promise.all([source(), source()])).toEqual(['pst_1', 'pst_1']);
  vi.setSystemTime(239_000);
  expect(await source()).toBe('pst_1');
  vi.setSystemTime(240_000);
  fetchToken.mockRejectedValueOnce(new Error('offline'));
  await expect(source()).rejects.toThrow('offline');
  expect(await source()).toBe('pst_3');
  vi.useRealTimers();
});

it('explains each error of a create', async () => {
  const { client } = await openWithPlants(1);
  const { explainCreate } = await load('replies-and-errors', 'explain-create.ts');
  const reply = await client.createPlant({ body: { id: 1, name: 'Other' } });
  expect(explainCreate(reply.body)).toBe('Choose another ID.');
  expect(explainCreate({ error: 40099, message: 'New' })).toBe('Something went wrong.');
});

it('a component aborts its call when it unmounts', async () => {
  const { PlantName } = await load('components', 'plant-name.tsx');
  const signals: (AbortSignal | null | undefined)[] = [];
  const never: Client = createClient({
    ...createFakePlantStore(),
    fetch: (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  });
  const { unmount } = render(<PlantName client={never} id={1n} />);
  await screen.findByText('Loading …');
  await vi.waitUntil(() => signals.length === 1);
  unmount();
  await sleep(0);
  expect(signals[0]?.aborted).toBe(true);
});

it('a server passes IDs to a browser exactly, though their clients have different addresses', async () => {
  const { renderState, hydrateState, options } = await load('components', 'render-page.tsx');
  const { store, client } = open();
  const id = 9007199254740993n;
  await client.createPlant({ body: { id, name: '</script><script>alert(1)' } });
  document.body.innerHTML = await renderState(client, id);
  const queryClient = new QueryClient();
  hydrateState(queryClient);
  const browser = createTanstackQueryUtils(
    createClient({ ...store, baseUrl: 'https://example.com/api' }),
    options,
  );
  expect(queryClient.getQueryData(browser.getPlant.queryKey({ params: { id } }))).toMatchObject({ id });
});

await load('components', 'plant-name.test.tsx');
