import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { useRoute } from '../route.js';
import { Plants } from './plants.js';

function View() {
  return <Plants route={useRoute()} />;
}

/** Opens the list of a store with a number of plants, and collects what the page prints. */
async function open(count: number, query = '', tag = (id: number): string | undefined => `bed ${id % 2}`) {
  const plants = Array.from({ length: count }, (_, id) => ({
    id,
    name: `Plant ${id}`,
    tag: tag(id),
  }));
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  vi.stubGlobal('fetch', store.fetch);
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
  const user = renderView(<View />, store.token);
  await screen.findByRole('grid');
  return { user, printed };
}

it('prints all plants of the list, loaded or not, and shows them only on paper', async () => {
  const { user, printed } = await open(1_200);
  await screen.findByText('1,200 plants');
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(screen.getByRole('button', { name: 'Print the list' }));
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toEqual([
    'All plants',
    '1,200 plants. Newest first.',
    '1200 rows',
    expect.stringMatching(/^Plant 0bed 0/),
  ]);
  await waitFor(() => expect(document.querySelector('.print-list')).toBeNull());
});

it("prints the matching plants with the browser's shortcut, with the tag as the title", async () => {
  const { user, printed } = await open(30, '?tag=bed%201');
  await screen.findByText('15 plants found');
  await user.keyboard('{Control>}p{/Control}');
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]?.slice(0, 3)).toEqual(['bed 1', '15 plants. Newest first.', '15 rows']);
});

it('says on paper how the list is sorted, and that the plants have no tag', async () => {
  const { user, printed } = await open(30, '?without=tag&order=-name', () => undefined);
  await screen.findByText('30 plants found');
  await user.keyboard('{Control>}p{/Control}');
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]?.slice(0, 3)).toEqual(['Untagged', '30 plants. Name, Z to A.', '30 rows']);
});

it('says on paper that more follow beyond 2,000 plants', async () => {
  const { user, printed } = await open(2_100);
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(screen.getByRole('button', { name: 'Print the list' }));
  await waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toEqual([
    'All plants',
    '2,000 plants. Newest first.',
    'Only the first 2,000 plants are printed. To print others, search or filter the list.',
    '2000 rows',
    expect.stringMatching(/^Plant 100bed/),
  ]);
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
