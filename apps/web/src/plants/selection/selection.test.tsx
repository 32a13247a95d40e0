import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { catchSaved } from '../../../test/open-import.js';
import { editByOthers, openPlants, rejectNext, serve } from '../../../test/open-page.js';

let store: ReturnType<typeof createFakePlantStore>;
/** The requests so far, such as `GET /plants`. */
let sent: string[];
/** Called before each request. */
let onRequest: (request: string) => Promise<undefined> | undefined;

/** The plants 1 to 12, by id. */
beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const plants = Array.from({ length: 12 }, (_, at) => ({ id: at + 1, name: `plant ${at + 1}`, tag: 'bed' }));
  await createClient(store).createPlants({ body: { plants } });
  onRequest = () => undefined;
  history.replaceState(null, '', '/?order=id');
  sent = serve(store, (_, request) => onRequest(request));
});

async function open() {
  const user = openPlants(store);
  await screen.findByText('plant 12');
  return user;
}

const row = (id: number) => screen.getByRole('row', { name: new RegExp(`^plant ${id} `) });
const checkbox = (id: number) => within(row(id)).getByRole<HTMLInputElement>('checkbox');
const selectAll = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all plants' });
const selected = () =>
  screen
    .getAllByRole('row')
    .filter((one) => one.getAttribute('aria-selected') === 'true')
    .map((one) => Number(/plant (\d+)/.exec(one.textContent ?? '')?.[1]));
const bar = async () => within(await screen.findByRole('region', { name: 'Selected plants' }));

it('selects with checkboxes: single plants, a range with Shift, whose end moves, and all loaded plants', async () => {
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

it('selects with the keyboard: one, a range, all, none', async () => {
  const user = await open();
  act(() => row(4).focus());
  await user.keyboard(' ');
  expect(selected()).toEqual([4]);
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{ArrowUp}{/Shift}');
  expect([selected(), document.activeElement]).toEqual([[4, 5], row(5)]);
  // Across the start of the range.
  await user.keyboard('{Shift>}{ArrowUp}{ArrowUp}{/Shift}');
  expect(selected()).toEqual([3, 4]);
  // A second range.
  await user.keyboard('{End}{Shift>}{ArrowUp}{/Shift}');
  expect(selected()).toEqual([3, 4, 11, 12]);
  await user.keyboard('{Escape}');
  expect(selected()).toEqual([]);
  await user.keyboard('{Home} {ArrowDown}{ArrowDown}{Shift>} {/Shift}');
  expect(selected()).toEqual([1, 2, 3]);
  await user.keyboard('{Control>}a{/Control}');
  expect(selected()).toHaveLength(12);
});

it('deselects plants that are gone, and all plants when the list changes', async () => {
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
  ['As CSV', /^id,name,tag,addedAt\r\n2,plant 2,bed,[^\r]+\r\n3,plant 3,bed,[^\r]+\r\n$/],
  ['As NDJSON', /^\{"id":2,[^\n]+\}\n\{"id":3,[^\n]+\}\n$/],
])('exports the selection: %s', async (format, expected) => {
  const saved = catchSaved();
  const user = await open();
  await user.click(checkbox(3));
  await user.keyboard('{Shift>}{ArrowUp}{/Shift}');
  await user.click((await bar()).getByRole('button', { name: 'Export' }));
  await user.click((await bar()).getByRole('button', { name: format }));
  await waitFor(() => expect(saved.files).toHaveLength(1));
  expect(await saved.readLast()).toMatch(expected);
});

it('selects all plants of the list, loaded or not, on request', async () => {
  const plants = Array.from({ length: 1_200 }, (_, at) => ({ id: 100 + at, name: `bulk ${at}`, tag: 'row' }));
  for (const some of [plants.slice(0, 1_000), plants.slice(1_000)])
    await createClient(store).createPlants({ body: { plants: some } });
  const user = await open();
  expect(screen.queryByRole('button', { name: /^Select all/ })).toBeNull();
  await user.click(selectAll());
  const { getByText, getByRole, queryByRole, findByText } = await bar();
  expect(getByText('1,000 selected')).toBeDefined();
  await user.click(getByRole('button', { name: 'Select all 1,212' }));
  await findByText('1,212 selected');
  expect(queryByRole('button', { name: /^Select all/ })).toBeNull();
  await user.click(getByRole('button', { name: 'Clear' }));
  expect(selected()).toEqual([]);
});

/** Selects the plants 2 to 4, and types a tag for them. */
async function tagThree(tag: string) {
  const user = await open();
  await user.click(checkbox(2));
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  await user.click((await bar()).getByRole('button', { name: 'Tag' }));
  const field = await screen.findByRole('combobox', {
    name: 'Tag',
    description: /Replaces the current tags/,
  });
  await waitFor(() => expect(document.activeElement).toBe(field));
  if (tag !== '') await user.keyboard(tag);
  return user;
}
const tagOf = (id: number) => store.plants.get(BigInt(id))?.tag;

it('tags the selection with two requests, closes, and keeps the selection', async () => {
  const user = await tagThree('shade');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect([1, 2, 3, 4, 5].map(tagOf)).toEqual(['bed', 'shade', 'shade', 'shade', 'bed']);
  await waitFor(() => expect(row(3).textContent).toContain('shade'));
  expect(selected()).toEqual([2, 3, 4]);
  const batches = () => sent.filter((request) => /PUT|batch/.test(request));
  expect(batches()).toEqual(['POST /plants/batch/get', 'POST /plants/batch/update']);
  // The undo has the `ETag` of each plant.
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText(/Restored the tags of/);
  expect(batches().slice(2)).toEqual(['POST /plants/batch/update']);
  expect([1, 2, 3, 4, 5].map(tagOf)).toEqual(Array(5).fill('bed'));
});

/** The texts of the notes about tagging or deleting. */
const notes = () =>
  [...document.querySelectorAll('.plants .undo-bar .undo-item > p')].map(({ textContent }) => textContent);

it('says which plants were tagged, and Ctrl+Z restores each plant that has not changed since', async () => {
  await editByOthers(store, 4, { name: 'plant 4' });
  const user = await tagThree('shade');
  await user.keyboard('{Enter}');
  await screen.findByText('shade', { selector: '.undo-bar bdi' });
  expect(notes()).toEqual(['3 plants tagged shade.']);
  await editByOthers(store, 3, { name: 'plant 3', tag: 'theirs' });
  await screen.findByText('theirs');
  act(() => row(2).focus());
  await user.keyboard('{Control>}z{/Control}');
  await screen.findByText(/Restored the tags of/);
  expect(notes()).toEqual(['Restored the tags of 2 plants. 1 has changed since then.']);
  expect([2, 3, 4].map(tagOf)).toEqual(['bed', 'theirs', undefined]);
  await waitFor(() => expect(row(2).textContent).toContain('bed'));
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

it('says why the undo of a tagging failed, and completes it on the next attempt', async () => {
  const user = await tagThree('shade');
  await user.keyboard('{Enter}');
  const undo = await screen.findByRole('button', { name: 'Undo' });
  rejectNext(store, 'updatePlants');
  await user.click(undo);
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /^\w.* might still have your change\. Not permitted\.$/,
  );
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText(/^Restored the tag/);
  expect([2, 3, 4].map(tagOf)).toEqual(['bed', 'bed', 'bed']);
});

it('does not remove tags on Enter in an empty field', async () => {
  const user = await tagThree(' {Backspace}{Enter}');
  expect(screen.getByRole('button', { name: 'Tag 3 plants' }).ariaDisabled).toBe('true');
  await user.keyboard(' {Enter}');
  await user.click(screen.getByRole('button', { name: 'Tag 3 plants' }));
  expect(sent.filter((request) => /PUT|batch/.test(request))).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Remove the tag' }));
  await screen.findByText('Removed the tag from');
  expect(notes()).toEqual(['Removed the tag from 3 plants.']);
  expect([2, 3, 4].map(tagOf)).toEqual([undefined, undefined, undefined]);
});

it('removes tags with a separate button, overwrites no change of others, and lists the plants that keep their tag', async () => {
  const user = await tagThree('');
  await createClient(store).deletePlant({ params: { id: 4 } });
  // Runs once, between the read and the edit.
  let isFirst = true;
  onRequest = async (request) => {
    if (request !== 'POST /plants/batch/update' || !isFirst) return undefined;
    isFirst = false;
    await editByOthers(store, 3, { name: 'Rose', tag: 'x' });
    return undefined;
  };
  await user.click(screen.getByRole('button', { name: 'Remove the tag' }));
  await screen.findByText('1 of 3 done.');
  const failed = within(screen.getByRole('dialog')).getAllByRole('listitem');
  expect(failed.map((one) => one.textContent)).toEqual([
    'plant 4, ID 4: It was deleted.',
    'plant 3, ID 3: Someone else changed this plant. Review the new version, then decide whether to try again.',
  ]);
  expect(tagOf(2)).toBeUndefined();
  expect(store.plants.get(3n)).toEqual({ name: 'Rose', tag: 'x' });
  // The person has seen the notice.
  await user.click(screen.getByRole('button', { name: 'Remove the tag' }));
  await screen.findByText('2 of 3 done.');
  expect(store.plants.get(3n)).toEqual({ name: 'Rose' });
});

const idsNow = () => [...store.plants].filter(([, plant]) => plant !== undefined).map(([id]) => Number(id));
const status = () =>
  screen
    .getAllByRole('status')
    .map(({ textContent }) => textContent)
    .join();

/** Selects the plants 2 to 11, and deletes them. */
async function deleteTen() {
  const user = await open();
  await user.click(checkbox(2));
  await user.keyboard('{Shift>}');
  await user.click(checkbox(11));
  await user.keyboard('{/Shift}');
  await user.click((await bar()).getByRole('button', { name: 'Delete' }));
  await screen.findByText(/^Deleting/);
  return user;
}
const sendNow = () => act(() => void window.dispatchEvent(new Event('pagehide')));

it('deletes the selection after the time for one undo, by a button or Ctrl+Z', async () => {
  const user = await deleteTen();
  expect(status()).toContain('Deleting 10 plants…');
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(2);
  expect([screen.queryByRole('region', { name: 'Selected plants' }), selected()]).toEqual([null, []]);
  await waitFor(() => expect(document.activeElement?.tagName).toBe('TR'));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(12);
  act(() => row(5).focus());
  await user.keyboard('{Delete}');
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(11);
  await user.keyboard('{Control>}z{/Control}');
  expect(row(5)).toBeDefined();
  sendNow();
  expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([]);
});

it('deletes all on Delete on the checkbox that selected them, and nothing without a selection', async () => {
  const user = await open();
  act(() => selectAll().focus());
  await user.keyboard('{Delete}');
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(12);
  await user.click(selectAll());
  await user.keyboard('{Delete}');
  expect(status()).toContain('Deleting 12 plants…');
  // Otherwise the delete would be sent during the next test.
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
});

it('deletes many plants with one request, restores them under their ids, and counts them, while the browser asks before it closes', async () => {
  const user = await deleteTen();
  const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  sendNow();
  await screen.findByText('Deleted');
  expect([closes(), idsNow()]).toEqual([true, [1, 12]]);
  expect(sent.filter((request) => /DELETE|batch/.test(request))).toEqual(['POST /plants/batch/delete']);
  let restored = 0;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  onRequest = (request) => (request.startsWith('PUT') && ++restored > 3 ? promise : undefined);
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText('Restoring');
  expect(closes()).toBe(false);
  await screen.findByText(/^: [123] so far…$/);
  resolve(undefined);
  await screen.findByText('Restored');
  expect([closes(), idsNow().toSorted((one, other) => one - other)]).toEqual([
    true,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  ]);
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(12);
});

it('shows plants again that were not deleted, and why', async () => {
  await deleteTen();
  rejectNext(store, 'deletePlants');
  sendNow();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('10 plants might not be deleted. Not permitted.');
  await waitFor(() => expect(screen.getAllByRole('row').slice(1)).toHaveLength(12));
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

it('shows plants again at once if the service is unavailable, and deletes them on Try again', async () => {
  const user = await deleteTen();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onRequest = async () => {
    throw new TypeError('fetch failed');
  };
  sendNow();
  expect(notes()).toEqual(['Deleting 10 plants…']);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect((await screen.findByText(/might not be deleted/)).closest('[role=alert]')).not.toBeNull();
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(12);
  onRequest = () => undefined;
  vi.useRealTimers();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(idsNow()).toEqual([1, 12]));
  await screen.findByText('Deleted');
  expect(notes()).toEqual(['Deleted 10 plants.']);
  expect(screen.getAllByRole('row').slice(1)).toHaveLength(2);
});
