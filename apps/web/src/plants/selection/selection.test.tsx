import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderView } from '../../../test/render-view.js';
import { useRoute } from '../../route.js';
import { Plants } from '../plants.js';

let store: ReturnType<typeof createFakePlantStore>;
/** Called with the name of the method and the path before each request. */
let onRequest: (request: string) => Promise<void> | undefined;

/** The plants 1 to 12, by id. */
beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const plants = Array.from({ length: 12 }, (_, at) => ({ id: at + 1, name: `plant ${at + 1}`, tag: 'bed' }));
  await createClient(store).createPlants({ body: { plants } });
  onRequest = () => undefined;
  history.replaceState(null, '', '/?order=id');
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    await onRequest(`${init.method} ${url.slice(location.origin.length)}`);
    return store.fetch(url, init);
  });
});

function View() {
  return <Plants route={useRoute()} />;
}

async function open() {
  const user = renderView(<View />, store.token);
  await screen.findByText('plant 12');
  return user;
}

const row = (id: number) => screen.getByRole('row', { name: new RegExp(`^plant ${id} `) });
const checkbox = (id: number) => within(row(id)).getByRole<HTMLInputElement>('checkbox');
const selectAll = () =>
  screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all that are loaded' });
const selected = () =>
  screen
    .getAllByRole('row')
    .filter((one) => one.getAttribute('aria-selected') === 'true')
    .map((one) => Number(/plant (\d+)/.exec(one.textContent ?? '')?.[1]));
const bar = async () => within(await screen.findByRole('region', { name: 'Selected plants' }));

it('selects by checkboxes, with Shift a range, whose end moves, and all that are loaded', async () => {
  const user = await open();
  expect(screen.getByRole('grid').getAttribute('aria-multiselectable')).toBe('true');
  await user.click(checkbox(3));
  expect([selected(), checkbox(3).checked, selectAll().indeterminate]).toEqual([[3], true, true]);
  expect(location.pathname).toBe('/');
  await user.keyboard('{Shift>}');
  await user.click(checkbox(6));
  expect(selected()).toEqual([3, 4, 5, 6]);
  await user.click(row(2));
  expect(selected()).toEqual([2, 3]);
  await user.keyboard('{/Shift}{Control>}');
  await user.click(row(9));
  await user.keyboard('{/Control}');
  expect(selected()).toEqual([2, 3, 9]);
  expect((await bar()).getByText('3 selected')).toBeDefined();
  await user.click(checkbox(9));
  expect(selected()).toEqual([2, 3]);
  await user.click(selectAll());
  expect([selected().length, selectAll().checked, selectAll().indeterminate]).toEqual([12, true, false]);
  await user.click(selectAll());
  expect(selected()).toEqual([]);
  expect(screen.queryByRole('region', { name: 'Selected plants' })).toBeNull();
});

it('selects by keys: one, a range, all, none', async () => {
  const user = await open();
  act(() => row(4).focus());
  await user.keyboard(' ');
  expect(selected()).toEqual([4]);
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{ArrowUp}{/Shift}');
  expect([selected(), document.activeElement]).toEqual([[4, 5], row(5)]);
  // From there over the beginning of the range.
  await user.keyboard('{Shift>}{ArrowUp}{ArrowUp}{/Shift}');
  expect(selected()).toEqual([3, 4]);
  // Another range, beside that.
  await user.keyboard('{End}{Shift>}{ArrowUp}{/Shift}');
  expect(selected()).toEqual([3, 4, 11, 12]);
  await user.keyboard('{Escape}');
  expect(selected()).toEqual([]);
  await user.keyboard('{Home} {ArrowDown}{ArrowDown}{Shift>} {/Shift}');
  expect(selected()).toEqual([1, 2, 3]);
  await user.keyboard('{Control>}a{/Control}');
  expect(selected()).toHaveLength(12);
});

it('forgets what is gone, and all of it with the next list', async () => {
  const user = await open();
  await user.click(checkbox(3));
  await user.keyboard('{Shift>}{ArrowDown}{/Shift}');
  await createClient(store).deletePlant({ params: { id: 3 } });
  await waitFor(() => expect(screen.queryByText('plant 3')).toBeNull());
  expect((await bar()).getByText('1 selected')).toBeDefined();
  await user.click(screen.getByRole('button', { name: /^Added/ }));
  await waitFor(() => expect(location.search).toBe(''));
  expect(selected()).toEqual([]);
});

it.each([
  ['CSV', /^id,name,tag,addedAt\r\n2,plant 2,bed,[^\r]+\r\n3,plant 3,bed,[^\r]+\r\n$/],
  ['NDJSON', /^\{"id":2,[^\n]+\}\n\{"id":3,[^\n]+\}\n$/],
])('exports what is selected as %s', async (format, expected) => {
  const saved: Blob[] = [];
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${saved.push(file)}` }));
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const user = await open();
  await user.click(checkbox(3));
  await user.keyboard('{Shift>}{ArrowUp}{/Shift}');
  await user.click((await bar()).getByRole('button', { name: `Export ${format}` }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(await saved[0]?.text()).toMatch(expected);
});

/** Selects the plants 2 to 4, and types a tag for them. */
async function tagThree(tag: string) {
  const user = await open();
  await user.click(checkbox(2));
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  await user.click((await bar()).getByRole('button', { name: 'Tag…' }));
  const field = await screen.findByRole('combobox', { name: 'Tag', description: /It replaces the tag/ });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.keyboard(tag);
  return user;
}
const tagOf = (id: number) => store.plants.get(BigInt(id))?.tag;

it('tags what is selected, closes, and keeps the selection', async () => {
  const user = await tagThree('shade');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect([1, 2, 3, 4, 5].map(tagOf)).toEqual(['bed', 'shade', 'shade', 'shade', 'bed']);
  await waitFor(() => expect(row(3).textContent).toContain('shade'));
  expect(selected()).toEqual([2, 3, 4]);
});

it('removes the tags by an empty one, overwrites no change of others, and names what is not tagged', async () => {
  const user = await tagThree(' {Backspace}');
  const other = createClient(store);
  await other.deletePlant({ params: { id: 4 } });
  // Once, between the read and the correction.
  let isFirst = true;
  onRequest = async (request) => {
    if (request !== 'PUT /plants/3' || !isFirst) return;
    isFirst = false;
    await other.correctPlant({
      params: { id: 3 },
      headers: { 'if-match': '*' },
      body: { name: 'Rose', tag: 'x' },
    });
  };
  await user.click(screen.getByRole('button', { name: 'Remove the tag of 3 plants' }));
  await screen.findByText('2 of 3 done.');
  const failed = within(screen.getByRole('dialog')).getAllByRole('listitem');
  expect(failed.map((one) => one.textContent)).toEqual(['plant 4, id 4: No plant has the id 4.']);
  expect(tagOf(2)).toBeUndefined();
  expect(store.plants.get(3n)).toEqual({ name: 'Rose' });
});
