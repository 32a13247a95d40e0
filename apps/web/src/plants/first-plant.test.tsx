import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { noChanges, openPlants, serve } from '../../test/open-page.js';

let store: ReturnType<typeof createFakePlantStore>;

beforeEach(() => {
  store = createFakePlantStore({ baseUrl: location.origin });
  serve(store, async (url) => (url.includes('/changes') ? noChanges() : undefined));
  history.replaceState(null, '', '/');
});

/** Shows the form, and types a name and a tag. */
async function type(name: string, tag: string) {
  const user = openPlants(store);
  await user.click(await screen.findByRole('textbox', { name: 'Name' }));
  if (name !== '') await user.paste(name);
  await user.click(screen.getByRole('textbox', { name: 'Tag' }));
  if (tag !== '') await user.paste(tag);
  return user;
}

it.each([
  ['shade', { name: 'Fern', tag: 'shade' }],
  ['', { name: 'Fern' }],
])('adds the first plant on Enter, with the tag "%s", and shows it in the list', async (tag, plant) => {
  const user = await type('Fern', tag);
  await user.keyboard('{Enter}');
  await screen.findByText('1 plant');
  expect([...store.plants.values()]).toEqual([plant]);
  expect(screen.getByRole('row', { name: /^Fern / })).toBeDefined();
  expect(screen.queryByRole('heading', { name: 'Every plant, in one list' })).toBeNull();
});

it('sends no plant without a name, and says so', async () => {
  const user = await type('', 'shade');
  await user.click(screen.getByRole('button', { name: 'Add plant' }));
  expect((await screen.findByRole('alert')).textContent).toBe('Name is required.');
  expect(store.plants.size).toBe(0);
});

it('stores a plant once if its reply was lost, and does not reuse its id', async () => {
  const user = await type('Fern', '');
  store.fail({ operation: 'createPlant', kind: 'drop', stored: true, times: 3 });
  const press = () => user.click(screen.getByRole('button', { name: 'Add plant' }));
  await press();
  await screen.findByRole('alert');
  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' of another name');
  await press();
  await waitFor(() => expect(store.plants.size).toBe(2));
  expect([...store.plants.values()]).toEqual([{ name: 'Fern' }, { name: 'Fern of another name' }]);
});
