import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { openApp, serve, token } from '../../test/open-page.js';

const store = createFakePlantStore({ baseUrl: location.origin, token });

beforeEach(async () => {
  history.replaceState(null, '', '/');
  store.clear();
  await createClient(store).createPlant({ body: { id: 3, name: 'Rose' } });
  serve(store);
});

async function open() {
  const user = openApp(token);
  await screen.findByText('Rose');
  return user;
}

it('searches on /, also from the import, adds on n, and does neither while the person types or a sheet is open', async () => {
  const user = await open();
  await user.keyboard('/');
  const search = screen.getByRole<HTMLInputElement>('searchbox');
  expect([document.activeElement, search.value]).toEqual([search, '']);
  await user.keyboard('n/?');
  expect([location.pathname, search.value]).toEqual(['/', 'n/?']);
  await user.clear(search);
  search.blur();
  await user.keyboard('n');
  expect(location.pathname).toBe('/add');
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  name.blur();
  await user.keyboard('/');
  expect(document.activeElement).not.toBe(screen.getByRole('searchbox', { hidden: true }));
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('link', { name: 'Import' }));
  // At any step, because tests in other files may have used the import.
  await screen.findByRole('region', { name: 'Import' });
  await user.keyboard('/');
  expect([location.pathname, document.activeElement]).toEqual(['/', screen.getByRole('searchbox')]);
});

it('lists the shortcuts on ? and on a button, where single-key ones can be switched off', async () => {
  const user = await open();
  await user.keyboard('?');
  const isOn = () => screen.findByRole<HTMLInputElement>('checkbox', { name: /^Use single-key shortcuts/ });
  expect((await isOn()).checked).toBe(true);
  await user.click(await isOn());
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.keyboard('n?');
  expect([location.pathname, screen.queryByRole('dialog')]).toEqual(['/', null]);
  await user.click(screen.getByRole('button', { name: 'Shortcuts' }));
  expect((await isOn()).checked).toBe(false);
  await user.click(await isOn());
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.keyboard('n');
  await waitFor(() => expect(location.pathname).toBe('/add'));
});
