import { createFakePlantStore } from '@plant-store/client/testing';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openPlants, serve } from '../../test/open-page.js';
import { restoreSort } from '../shared/sort-list.js';

/** Shows the list, as after loading the page at `/`. */
async function open() {
  const plants = [{ id: 701, name: 'Rose', tag: 'sun' }];
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  serve(store);
  history.replaceState(null, '', '/');
  restoreSort();
  const user = openPlants(store);
  await screen.findByText('Rose');
  return user;
}

const titles = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent.trim());
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

it('shows the chosen columns, also after a reload, and resets them to the defaults', async () => {
  const user = await open();
  expect(titles()).toEqual(['', 'Name', 'Tag', 'Added', 'Actions']);
  await user.click(screen.getByRole('button', { name: 'Columns' }));
  expect([box('ID').checked, box('Tag').checked, box('Name always shown').disabled]).toEqual([
    false,
    true,
    true,
  ]);
  await user.click(box('ID'));
  await user.click(box('Tag'));
  expect(titles()).toEqual(['', 'Name', 'ID', 'Added', 'Actions']);
  expect([screen.getByText('701').tagName, screen.queryByText('sun', { selector: 'td *' })]).toEqual([
    'CODE',
    null,
  ]);
  expect(screen.getByRole('grid').getAttribute('aria-colcount')).toBe('5');
  const again = await open();
  expect(titles()).toEqual(['', 'Name', 'ID', 'Added', 'Actions']);
  await again.click(screen.getByRole('button', { name: 'Columns' }));
  await again.click(screen.getByRole('button', { name: 'Reset columns' }));
  expect(titles()).toEqual(['', 'Name', 'Tag', 'Added', 'Actions']);
});

it('keeps the last sort order after a reload, unless the address sets one', async () => {
  const user = await open();
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await open();
  expect(location.search).toBe('?order=name');
  history.replaceState(null, '', '/?tag=sun');
  restoreSort();
  expect(location.search).toBe('?tag=sun');
});
