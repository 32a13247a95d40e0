// @vitest-environment jsdom
import type { Plant } from '@plant-store/contract/operations';
import { focusManager, QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { createElement, type FC } from 'react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../src/create-client.js';
import { createTanstackQueryUtils } from '../src/tanstack-query.js';
import { createFakePlantStore } from '../src/testing/create-fake-plant-store.js';

// Only a test that fails waits this long, even on a busy machine.
const timeout = 30_000;
configure({ asyncUtilTimeout: timeout });

const id = 9007199254740993n;
const params = { id };
/** The component that the page shows. */
const recipe = '../docs/tanstack-query.md/edit-button.tsx';

afterEach(() => {
  cleanup();
  focusManager.setFocused(undefined);
});

/** Opens the form of the page beside live queries of the plant, the list and the tags, and types a name. */
async function open() {
  const store = createFakePlantStore();
  const client = createClient(store);
  const plantStore = createTanstackQueryUtils(client);
  vi.stubGlobal('plantStore', plantStore);
  await client.createPlant({ body: { id, name: 'Rose', tag: 'indoor' } });
  const queryClient = new QueryClient();
  const plant = new QueryObserver(queryClient, plantStore.getPlant.queryOptions({ params }));
  const list = new QueryObserver(queryClient, plantStore.listPlants.queryOptions());
  const tags = new QueryObserver(queryClient, plantStore.listTags.queryOptions());
  for (const { subscribe } of [plant, list, tags]) onTestFinished(subscribe(() => undefined));
  const { EditButton }: { readonly EditButton: FC<typeof params> } = await import(/* @vite-ignore */ recipe);
  const button = createElement(EditButton, params);
  render(createElement(QueryClientProvider, { client: queryClient }, button));
  const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
  const type = async (name: string) =>
    fireEvent.change(await screen.findByRole('textbox'), { target: { value: name } });
  await press('Edit');
  await type('Mine');
  return {
    store,
    press,
    type,
    names: () => [plant.getCurrentResult().data?.name, list.getCurrentResult().data?.plants[0]?.name],
    tags: () => tags.getCurrentResult().data?.tags,
    updateByOthers: (body: Plant) => client.updatePlant({ params, headers: { 'if-match': '*' }, body }),
    /** The person comes back to the tab, so that all queries refetch. */
    async comeBack(name: string) {
      focusManager.setFocused(false);
      focusManager.setFocused(true);
      await vi.waitFor(() => expect(plant.getCurrentResult().data?.name).toBe(name), { timeout });
    },
  };
}

it('the form saves the name, keeps the tag, and refreshes the plant and the list', async () => {
  const { store, press, names } = await open();
  await press('Save');
  await screen.findByRole('button', { name: 'Edit' });
  expect(store.plants.get(id)).toEqual({ name: 'Mine', tag: 'indoor' });
  await vi.waitFor(() => expect(names()).toEqual(['Mine', 'Mine']), { timeout });
});

it('the form overwrites no update that a query has refetched while the person types, unless the person decides so', async () => {
  const { store, press, updateByOthers, comeBack, names, tags } = await open();
  await updateByOthers({ name: 'Theirs', tag: 'indoor' });
  await comeBack('Theirs');
  await press('Save');
  expect((await screen.findByRole('alert')).textContent).toBe('Someone else changed the name to Theirs.');
  expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('Mine');
  expect(store.plants.get(id)).toEqual({ name: 'Theirs', tag: 'indoor' });
  await updateByOthers({ name: 'Theirs again' });
  await press('Replace');
  await screen.findByText('Someone else changed the name to Theirs again.');
  expect(store.plants.get(id)).toEqual({ name: 'Theirs again' });
  await vi.waitFor(() => expect([names(), tags()]).toEqual([Array(2).fill('Theirs again'), []]), { timeout });
  await press('Replace');
  await screen.findByRole('button', { name: 'Edit' });
  expect(store.plants.get(id)).toEqual({ name: 'Mine' });
  await vi.waitFor(() => expect(names()).toEqual(['Mine', 'Mine']), { timeout });
});

it('the form saves nothing that is unchanged, and shows why it cannot save', async () => {
  const { store, press, type } = await open();
  await type('Rose');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
  await type('Mine');
  store.fail({ kind: 'status', status: 403 });
  await press('Save');
  expect((await screen.findByRole('alert')).textContent).not.toContain('Someone else');
  await press('Save');
  await screen.findByRole('button', { name: 'Edit' });
  expect(store.plants.get(id)).toEqual({ name: 'Mine', tag: 'indoor' });
});
