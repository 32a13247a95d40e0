import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { openPlants, serve } from '../../test/open-page.js';

/** Opens the list of a store with a number of plants, and collects what the page prints. */
async function open(count: number, query = '') {
  const plants = Array.from({ length: count }, (_, id) => ({
    id,
    name: `Plant ${id}`,
    tag: `bed ${id % 2}`,
  }));
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  serve(store);
  history.replaceState(null, '', `/${query}`);
  const printed: string[][] = [];
  const read = (selector: string) =>
    [...document.querySelectorAll(`.print-list ${selector}`)].map(({ textContent }) => textContent);
  vi.stubGlobal('print', () => {
    window.dispatchEvent(new Event('beforeprint'));
    const rows = read('tbody tr');
    printed.push([
      ...read('h1'),
      ...read('h1 + p'),
      ...read('.print-note'),
      `${rows.length} rows`,
      rows.at(-1) ?? '',
    ]);
    window.dispatchEvent(new Event('afterprint'));
  });
  const user = openPlants(store);
  await screen.findByRole('grid');
  return { user, printed };
}

const only = 'Only the first 2,000 plants are printed. To print others, search or filter the list.';

it.each([
  ['all, loaded or not', 1_200, ['1,200 plants. Newest first.', '1200 rows'], /^Plant 0bed 0/],
  ['no more than 2,000', 2_100, ['2,000 plants. Newest first.', only, '2000 rows'], /^Plant 100bed/],
])('prints the plants of the list, only on paper: %s', async (_, count, about, last) => {
  const { user, printed } = await open(count);
  await screen.findByText(`${count.toLocaleString('en')} plants`);
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(screen.getByRole('button', { name: 'Print the list' }));
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toEqual(['All plants', ...about, expect.stringMatching(last)]);
  await waitFor(() => expect(document.querySelector('.print-list')).toBeNull());
});

it("prints what matches with the browser's shortcut, and what it is", async () => {
  const { user, printed } = await open(30, '?tag=bed%201&order=-name');
  await screen.findByText('15 plants found');
  await user.keyboard('{Control>}p{/Control}');
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]?.slice(0, 3)).toEqual(['bed 1', '15 plants. Name, Z to A.', '15 rows']);
});

it('prints labels of all plants in the list, on the sheets that are chosen', async () => {
  const { user } = await open(30);
  const sheets: (readonly string[])[] = [];
  vi.stubGlobal('print', () => {
    window.dispatchEvent(new Event('beforeprint'));
    const names = [...document.querySelectorAll('.labels .label-name')].map(({ textContent }) => textContent);
    const [sheet] = document.querySelectorAll('.labels');
    sheets.push([sheet?.className ?? '', `${names.length}`, names.at(-1) ?? '']);
    expect(document.querySelectorAll('.labels svg[role=img]')).toHaveLength(names.length);
    window.dispatchEvent(new Event('afterprint'));
  });
  for (const [format, name] of [
    ['A4', 'a4'],
    ['Letter', 'letter'],
  ]) {
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.click(screen.getByRole('button', { name: `Print labels (${format})` }));
    await waitFor(() => expect(sheets.at(-1)).toEqual([`labels labels-${name}`, '30', 'Plant 0']));
  }
  await user.click(screen.getByText('Plant 29'));
  await user.click(await screen.findByRole('button', { name: 'Label' }));
  // As those before.
  await waitFor(() => expect(sheets.at(-1)).toEqual(['labels labels-letter', '1', 'Plant 29']));
});
