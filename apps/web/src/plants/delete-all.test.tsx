import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openPlants, serve } from '../../test/open-page.js';
import { navigate } from '../route.js';

/** Shows 1,200 plants with the tag bed, 1,000 of them loaded. The store has three other plants. */
async function open() {
  const tagOf = (id: number) => (id < 3 ? 'pot' : 'bed');
  const plants = Array.from({ length: 1_203 }, (_, id) => ({ id, name: `plant ${id}`, tag: tagOf(id) }));
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  /** Delays the following pages of lists. */
  const next: { held: Promise<undefined> } = { held: Promise.resolve(undefined) };
  const sent = serve(store, async (url) => (url.includes('after=') ? next.held : undefined));
  history.replaceState(null, '', '/?tag=bed');
  const user = openPlants(store);
  await screen.findByText('1,200 plants found');
  /** Chooses to delete all, and returns the dialog that asks for confirmation. */
  const ask = async () => {
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.click(screen.getByRole('button', { name: 'Delete all 1,200' }));
    return within(await screen.findByRole('dialog', { name: 'Delete 1,200 plants?' }));
  };
  const deletes = () => sent.filter((line) => /DELETE|batch\/delete/.test(line));
  return { user, store, next, ask, deletes };
}

it('deletes all plants of the list only after confirmation', async () => {
  const { user, store, ask, deletes } = await open();
  const dialog = await ask();
  const keep = dialog.getByRole('button', { name: 'Keep them' });
  // The focus is on this button, so that Enter deletes nothing.
  expect(document.activeElement).toBe(keep);
  await user.keyboard('{Enter}');
  expect([screen.queryByRole('dialog'), deletes(), store.plants.size]).toEqual([null, [], 1_203]);
});

it('deletes all plants of the list, loaded or not, and restores them with one undo', async () => {
  const { user, store, ask, deletes } = await open();
  const dialog = await ask();
  expect(dialog.getByText('“bed”.')).toBeDefined();
  await user.click(dialog.getByRole('button', { name: 'Delete 1,200 plants' }));
  await screen.findByText('0 plants found');
  const note = () => document.querySelector('.undo-item > p')?.textContent;
  await waitFor(() => expect([note(), deletes()]).toEqual(['Deleting 1,200 plants…', []]));
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('1,200 plants found');
  act(() => void window.dispatchEvent(new Event('pagehide')));
  expect([deletes(), store.plants.size]).toEqual([[], 1_203]);
});

it('deletes nothing if another list is shown before all plants are loaded', async () => {
  const { user, next, ask } = await open();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  next.held = promise;
  const dialog = await ask();
  await user.click(dialog.getByRole('button', { name: 'Delete 1,200 plants' }));
  act(() => navigate({ view: 'plants', filter: { tag: 'pot', order: 'newest' } }));
  resolve(undefined);
  await screen.findByText('3 plants found');
  expect(screen.queryByText(/^Deleting/)).toBeNull();
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(3);
});
