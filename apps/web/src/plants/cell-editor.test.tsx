import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { editByOthers as editIn, noChanges, openPlants, rejectNext, serve } from '../../test/open-page.js';

let store: ReturnType<typeof createFakePlantStore>;
/** The updates so far. */
let updates: () => string[];

beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const plants = [
    { id: 1, name: 'Fern', tag: 'shade' },
    { id: 2, name: 'Ivy', tag: 'shade' },
    { id: 3, name: 'Rose', tag: 'sun' },
  ];
  await createClient(store).createPlants({ body: { plants } });
  history.replaceState(null, '', '/?order=id');
  const sent = serve(store, async (url) => (url.includes('/changes') ? noChanges() : undefined));
  updates = () => sent.filter((request) => request.startsWith('PUT'));
});

const row = (name: string) => screen.getByRole('row', { name: new RegExp(`^${name} `) });
const field = (name = 'Name') =>
  within(screen.getByRole('grid')).findByRole<HTMLInputElement>(name === 'Tag' ? 'combobox' : 'textbox', {
    name,
  });
const hasNoField = () => waitFor(() => expect(document.querySelector('.cell-editor')).toBeNull());
/** Presses keys that end the edit. */
async function end(user: Awaited<ReturnType<typeof type>>, keys: string) {
  await user.keyboard(keys);
  await hasNoField();
}
const editByOthers = (id: number, body: { name: string; tag?: string }) => editIn(store, id, body);

/** Begins to edit the name of the fern, and types a new one. */
async function type(text: string) {
  const user = openPlants(store);
  await screen.findByText('Fern');
  act(() => row('Fern').focus());
  await user.keyboard('{Enter}');
  const name = await field();
  await waitFor(() => expect(document.activeElement).toBe(name));
  expect(name.value).toBe('Fern');
  // The current text is selected.
  await user.keyboard(text);
  return user;
}

it('starts on Enter, F2, a double click and a button, saves the name on Enter, and returns to the row', async () => {
  const user = await type('Oak{Enter}');
  await hasNoField();
  expect(store.plants.get(1n)).toEqual({ name: 'Oak', tag: 'shade' });
  await waitFor(() => expect(document.activeElement).toBe(row('Oak')));
  await user.keyboard('{F2}');
  expect((await field()).value).toBe('Oak');
  await end(user, '{Escape}');
  await user.dblClick(screen.getByText('sun'));
  expect((await field('Tag')).value).toBe('sun');
  await end(user, '{Escape}');
  await user.click(within(row('Rose')).getByTitle('Edit'));
  expect((await field()).value).toBe('Rose');
  // Without a change nothing is sent.
  await end(user, '{Enter}');
  expect(updates()).toEqual(['PUT /plants/1']);
});

it('saves on Tab and moves to the tag, saves that on Enter, and moves to the same cell of other rows with the arrow keys', async () => {
  const user = await type('Oak{Tab}');
  const tag = await field('Tag');
  await waitFor(() => expect(document.activeElement).toBe(tag));
  expect(store.plants.get(1n)).toEqual({ name: 'Oak', tag: 'shade' });
  await end(user, 'bed{Enter}');
  expect(store.plants.get(1n)).toEqual({ name: 'Oak', tag: 'bed' });
  await waitFor(() => expect(document.activeElement).toBe(row('Oak')));
  await user.keyboard('{Enter}');
  await field();
  await user.keyboard('Elm{ArrowDown}');
  await waitFor(async () => expect((await field()).value).toBe('Ivy'));
  expect(store.plants.get(1n)).toEqual({ name: 'Elm', tag: 'bed' });
  await end(user, '{Shift>}{Tab}{/Shift}');
});

it('restores the previous text on Escape', async () => {
  const user = await type('Oak');
  await end(user, '{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(row('Fern')));
  expect([updates(), store.plants.get(1n)]).toEqual([[], { name: 'Fern', tag: 'shade' }]);
});

it('saves when the focus moves elsewhere, and leaves it there', async () => {
  const user = await type('Oak');
  const search = screen.getByRole('searchbox');
  await user.click(search);
  await hasNoField();
  await within(screen.getByRole('grid')).findByText('Oak');
  expect([store.plants.get(1n)?.name, document.activeElement]).toEqual(['Oak', search]);
});

it.each([
  ['Save mine', { name: 'Oak', tag: 'theirs' }],
  ['Keep theirs', { name: 'Fir', tag: 'theirs' }],
])('does not overwrite a concurrent change before "%s" is pressed', async (decision, expected) => {
  const user = await type('Oak');
  const theirs = { name: 'Fir', tag: 'theirs' };
  await editByOthers(1, theirs);
  await user.keyboard('{Enter}');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/^Someone changed this plant while you were editing\..*Fir.*theirs$/);
  // Nor on another Enter.
  await user.keyboard('{Enter}');
  expect([updates(), (await field()).value, store.plants.get(1n)]).toEqual([[], 'Oak', theirs]);
  await user.click(screen.getByRole('button', { name: decision }));
  await hasNoField();
  expect(store.plants.get(1n)).toEqual(expected);
  expect(row(expected.name)).toBeDefined();
});

it("replaces someone else's text with the previous one if the person wants that", async () => {
  const user = await type('Oak');
  await editByOthers(1, { name: 'Fir' });
  await user.keyboard('{Enter}');
  await screen.findByRole('alert');
  await user.clear(await field());
  await user.keyboard('Fern');
  await user.click(screen.getByRole('button', { name: 'Save mine' }));
  await hasNoField();
  expect(store.plants.get(1n)).toEqual({ name: 'Fern' });
});

it('asks again if the plant changes between the question and the answer', async () => {
  const user = await type('Oak');
  await editByOthers(1, { name: 'Fir' });
  await user.keyboard('{Enter}');
  await screen.findByText('Fir');
  await editByOthers(1, { name: 'Yew' });
  await user.click(screen.getByRole('button', { name: 'Save mine' }));
  await screen.findByText('Yew');
  expect(store.plants.get(1n)).toEqual({ name: 'Yew' });
  await user.click(screen.getByRole('button', { name: 'Save mine' }));
  await hasNoField();
  expect(store.plants.get(1n)).toEqual({ name: 'Oak' });
});

it('keeps the text if it is not valid or cannot be saved, and says why', async () => {
  const user = await type('{Backspace}{Enter}');
  await screen.findByText('Name is required.');
  expect([updates(), (await field()).getAttribute('aria-invalid')]).toEqual([[], 'true']);
  await user.keyboard('Oak');
  rejectNext(store, 'updatePlant');
  await user.keyboard('{Enter}');
  const alert = await screen.findByText(/^Not saved\. Your text is still here\./);
  expect([alert.role || alert.closest('[role]')?.role, (await field()).value]).toEqual(['alert', 'Oak']);
  expect(store.plants.get(1n)?.name).toBe('Fern');
  await end(user, '{Enter}');
  expect(store.plants.get(1n)?.name).toBe('Oak');
});

/** The note about the last edit. */
const note = () => document.querySelector('.undo-bar .undo-item > p')?.textContent;

it('undoes an edit with Ctrl+Z, in the list and in the panel', async () => {
  const user = await type('Oak{Enter}');
  await hasNoField();
  await waitFor(() => expect(note()).toBe('Name edited: Oak'));
  await user.click(within(screen.getByRole('grid')).getByText('Oak'));
  await screen.findByRole('complementary', { name: 'Oak' });
  await user.keyboard('{Control>}z{/Control}');
  await screen.findByRole('complementary', { name: 'Fern' });
  expect([row('Fern').ariaCurrent, store.plants.get(1n)]).toEqual(['true', { name: 'Fern', tag: 'shade' }]);
  await waitFor(() => expect(note()).toBe('Undone: Fern'));
});

it('does not undo an edit of a plant that was changed since', async () => {
  const user = await type('Oak{Enter}');
  await hasNoField();
  await editByOthers(1, { name: 'Fir' });
  await user.keyboard('{Control>}z{/Control}');
  await waitFor(() => expect(note()).toBe('Fern has changed since then, so the edit was not undone.'));
  expect(store.plants.get(1n)).toEqual({ name: 'Fir' });
});
