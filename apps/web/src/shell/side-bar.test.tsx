import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openApp, serve, token } from '../../test/open-page.js';
import { narrowScreen, withoutSideBar } from '../shared/use-media.js';

let store: ReturnType<typeof createFakePlantStore>;

beforeEach(() => {
  const tags = ['shade', 'shade', 'sun', undefined];
  const plants = tags.map((tag, at) => ({ id: at + 1, name: `plant ${at + 1}`, ...(tag && { tag }) }));
  store = createFakePlantStore({ baseUrl: location.origin, token, plants });
  serve(store);
  history.replaceState(null, '', '/');
});

async function open() {
  const user = openApp(token);
  await screen.findByText('plant 4');
  return user;
}

const nav = () => within(screen.getByRole('navigation', { name: 'Plant Store' }));
const links = () =>
  nav()
    .getAllByRole('link')
    .map(({ textContent }) => textContent?.trim());
const link = (name: string, isCurrent = false) =>
  nav().findByRole('link', { name, ...(isCurrent && { current: 'page' as const }) });
const status = () => document.querySelector('.list-status')?.textContent;

it('shows the number of plants in total, without a tag, and with each tag, also after one is added', async () => {
  await open();
  await link('All plants 4', true);
  expect(links()).toEqual(['All plants 4', 'Untagged 1', 'shade 2', 'sun 1', 'Import']);
  await createClient(store).createPlant({ body: { id: 9, name: 'Ivy', tag: 'sun' } });
  await link('sun 2');
  expect(links()).toEqual(['All plants 5', 'Untagged 1', 'shade 2', 'sun 2', 'Import']);
});

it('filters with its links, marks the current one, and keeps the sort order', async () => {
  const user = await open();
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await user.click(await link('shade 2'));
  await waitFor(() => expect(status()).toBe('2 plants found'));
  expect(location.search).toBe('?tag=shade&order=name');
  await link('shade 2', true);
  await user.click(await link('Untagged 1'));
  await waitFor(() => expect(status()).toBe('1 plant found'));
  expect(location.search).toBe('?without=tag&order=name');
  await user.click(await link('All plants 4'));
  await waitFor(() => expect(status()).toBe('4 plants'));
  await user.click(await link('Import'));
  await link('Import', true);
  expect(nav().getAllByRole('link', { current: 'page' })).toHaveLength(1);
});

/** Makes the window so narrow that these media queries match. */
const narrow = (...queries: readonly string[]) =>
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(new EventTarget(), { matches: queries.includes(query) }),
  );

it('is in a sheet if there is no room for it, and its links close the sheet', async () => {
  narrow(withoutSideBar);
  const user = await open();
  expect(screen.queryByRole('navigation')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Views and tags' }));
  const sheet = within(await screen.findByRole('dialog', { name: 'Plant Store' }));
  await user.click(await sheet.findByRole('link', { name: 'sun 1' }));
  await waitFor(() => expect(status()).toBe('1 plant found'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('has a bar at the bottom of a phone, with the tags, and the rest behind More', async () => {
  narrow(withoutSideBar, narrowScreen);
  const user = await open();
  await waitFor(() => expect(links()).toEqual(['Plants', 'Add plant', 'Import']));
  await user.click(nav().getByRole('button', { name: 'Tags' }));
  const tags = within(await screen.findByRole('dialog', { name: 'Tags' }));
  await user.click(await tags.findByRole('button', { name: /^shade ?: show its plants$/ }));
  await waitFor(() => expect(status()).toBe('2 plants found'));
  await user.click(nav().getByRole('button', { name: 'More' }));
  const more = within(await screen.findByRole('dialog', { name: 'Plant Store' }));
  await user.click(more.getByRole('button', { name: 'Access' }));
  await screen.findByRole('button', { name: 'Sign out' });
});
