import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { openPlants, serve } from '../../test/open-page.js';
import { withoutSideBar } from '../shared/use-media.js';

const names = ['Ash', 'Birch', 'Cedar'];

/** Shows three plants, and opens the one in the middle. */
async function open() {
  const plants = names.map((name, at) => ({ id: at + 1, name: `${name} – latin ${at}`, tag: 'tree' }));
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  serve(store);
  history.replaceState(null, '', '/?order=id');
  const user = openPlants(store);
  await user.click(await screen.findByText('Birch'));
  await screen.findByRole('heading', { name: 'Birch' });
  return user;
}

const opened = (name: string) => screen.findByRole('heading', { name, level: 2 });
const row = (name: string) => screen.getByRole('row', { name: new RegExp(`^${name} `) });
const button = (name: string) => screen.getByRole('button', { name });

it('opens adjacent plants with buttons that keep the focus, and shows the position in the list', async () => {
  const user = await open();
  const panel = within(screen.getByRole('complementary', { name: 'Birch – latin 1' }));
  expect([panel.getByText('2 of 3'), panel.getByText('latin 1', { selector: '.subtitle' })]).toHaveLength(2);
  await user.click(button('Next plant'));
  await opened('Cedar');
  expect([document.activeElement, location.pathname]).toEqual([button('Next plant'), '/p/3']);
  // It is the last one.
  await user.keyboard('{Enter}');
  expect(location.pathname).toBe('/p/3');
  await user.click(button('Previous plant'));
  await opened('Birch');
  await user.keyboard('{Enter}');
  await opened('Ash');
  expect([document.activeElement, row('Ash').ariaCurrent, row('Birch').ariaCurrent]).toEqual([
    button('Previous plant'),
    'true',
    null,
  ]);
  // One entry of the history for all of them.
  act(() => history.back());
  await waitFor(() => expect(location.pathname).toBe('/'));
  await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull());
});

it('opens adjacent plants with arrow keys in the list, and none after it is closed', async () => {
  const user = await open();
  expect(document.activeElement).toBe(row('Birch'));
  await user.keyboard('{ArrowDown}');
  await opened('Cedar');
  await user.keyboard('{ArrowUp}{ArrowUp}');
  await opened('Ash');
  expect(document.activeElement).toBe(row('Ash'));
  await user.click(button('Close'));
  expect([location.pathname, document.activeElement]).toEqual(['/', row('Ash')]);
  await user.keyboard('{ArrowDown}');
  expect([location.pathname, document.activeElement]).toEqual(['/', row('Birch')]);
  await user.keyboard('o');
  await opened('Birch');
});

it('edits on e, and does not carry an edit over to the next plant', async () => {
  const user = await open();
  await user.keyboard('e');
  const panel = () => within(screen.getByRole('complementary'));
  const field = () => panel().findByLabelText<HTMLInputElement>('Name');
  expect((await field()).value).toBe('Birch – latin 1');
  await user.click(button('Next plant'));
  await opened('Cedar');
  expect(panel().queryByLabelText('Name')).toBeNull();
  // Nothing was typed, so nothing is kept.
  expect(sessionStorage.length).toBe(0);
  await user.click(button('Previous plant'));
  await opened('Birch');
  expect(panel().queryByLabelText('Name')).toBeNull();
});

it('undoes an edit with Ctrl+Z', async () => {
  const user = await open();
  await user.keyboard('e');
  const name = await screen.findByLabelText<HTMLInputElement>('Name');
  await user.clear(name);
  await user.type(name, 'Elm{Enter}');
  await opened('Elm');
  const note = () => document.querySelector('.undo-item > p')?.textContent;
  await waitFor(() => expect(note()).toBe('Edited: Elm'));
  await user.keyboard('{Control>}z{/Control}');
  await opened('Birch');
  await waitFor(() => expect(note()).toBe('Undone: Birch – latin 1'));
});

it('is a dialog if there is no room next to the list', async () => {
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(new EventTarget(), { matches: query === withoutSideBar }),
  );
  const user = await open();
  const dialog = screen.getByRole('dialog', { name: 'Birch – latin 1' });
  expect(screen.queryByRole('complementary')).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'Next plant' }));
  await screen.findByRole('dialog', { name: 'Cedar – latin 2' });
  await user.click(button('Back'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(location.pathname).toBe('/');
});
