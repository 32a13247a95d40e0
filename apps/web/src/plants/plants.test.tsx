import { createClient, errors } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { useRoute } from '../route.js';
import { Plants } from './plants.js';
import { undoMs } from './use-deletes.js';

let store: ReturnType<typeof createFakePlantStore>;
let sent: string[];
/** The error with which the service answers each request. */
let failure: keyof typeof errors | undefined;
const onTokenRejected = vi.fn<(message: string) => void>();

/** Of plants of one millisecond the one with the larger id is the newer. */
const smallest = -9_223_372_036_854_775_808n;

beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const client = createClient(store);
  await client.createPlant({ body: { id: smallest, name: 'Fern', tag: 'shade' } });
  await client.createPlant({ body: { id: 2n, name: '' } });
  await client.createPlant({ body: { id: 3n, name: 'Rose', tag: 'sun' } });
  sent = [];
  failure = undefined;
  history.replaceState(null, '', '/');
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push(`${init.method} ${url.slice(location.origin.length)}`);
    if (failure === undefined) return store.fetch(url, init);
    const { error, status, example: message } = errors[failure];
    return Response.json({ error, message }, { status });
  });
});

function View() {
  return <Plants token={store.token} route={useRoute()} onTokenRejected={onTokenRejected} />;
}

const open = () => renderView(<View />);

async function remove(user: ReturnType<typeof open>, name: string) {
  await user.click(await screen.findByText(name));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
}

const names = async () => {
  const grid = await screen.findByRole('grid');
  await waitFor(() => expect(within(grid).getAllByRole('row').length).toBeGreaterThan(1));
  const [, ...rows] = within(grid).getAllByRole('row');
  return rows.map((row) => row.querySelector('td')?.textContent);
};

it('shows the plants, the newest first, with exact ids, and by keys moves over them, opens one, and returns to it', async () => {
  const user = open();
  expect(await names()).toEqual(['Rose', '(no name)', 'Fern']);
  expect(screen.getByText(`${smallest}`)).toBeDefined();
  expect(screen.getByText('3 plants')).toBeDefined();
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('4');
  const rows = screen.getAllByRole('row').slice(1);
  act(() => rows[0]?.focus());
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}{End}{ArrowDown}');
  expect(document.activeElement).toBe(rows[2]);
  await user.keyboard('{Home}{Enter}');
  await screen.findByRole('heading', { name: 'Rose' });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(document.activeElement).toBe(rows[0]);
});

it('shows what to do where there are none, such as to load examples, and where none matches', async () => {
  store.clear();
  const user = open();
  await user.click(await screen.findByRole('button', { name: 'Add the first' }));
  expect(location.pathname).toBe('/add');
  await user.click(await screen.findByRole('button', { name: 'Load 20 examples' }));
  await screen.findByText('20 plants');
  expect(store.plants.size).toBe(20);
  history.replaceState(null, '', '/?q=cactus');
  const again = open();
  await again.click(await screen.findByRole('button', { name: 'Show all plants' }));
  expect(location.search).toBe('');
  await screen.findByText('20 plants');
});

it('loads again after a failure, and goes on for a token that does not permit to read', async () => {
  failure = 'database_damaged';
  const user = open();
  const again = await screen.findByRole('button', { name: 'Load again' });
  failure = undefined;
  await user.click(again);
  expect(await names()).toHaveLength(3);
  failure = 'insufficient_scope';
  open();
  expect((await screen.findByRole('alert')).textContent).toBe(errors.insufficient_scope.example);
  expect(screen.queryByRole('button', { name: 'Load again' })).toBeNull();
  expect(onTokenRejected).not.toHaveBeenCalled();
});

it('searches after a moment without keys, and keeps search, tag and order in the address', async () => {
  const user = open();
  await names();
  const [search, tag] = [screen.getByRole('searchbox'), screen.getByRole('combobox', { name: 'Tag' })];
  // As long as the service takes them.
  expect([search, tag].map((field) => (field as HTMLInputElement).maxLength)).toEqual([100, 1_000]);
  await user.type(search, 'ROS');
  await waitFor(async () => expect(await names()).toEqual(['Rose']));
  expect(sent.filter((line) => line.includes('q=')).length).toBe(1);
  expect(location.search).toBe('?q=ROS');
  await user.click(screen.getByRole('button', { name: /Name has “ROS”.*remove/ }));
  await waitFor(async () => expect(await names()).toHaveLength(3));
  expect((search as HTMLInputElement).value).toBe('');
  await user.type(tag, 'shade{Enter}');
  await waitFor(async () => expect(await names()).toEqual(['Fern']));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'By id');
  await waitFor(() => expect(location.search).toBe('?tag=shade&order=id'));
  act(() => history.back());
  await waitFor(() => expect(location.search).toBe('?tag=shade'));
});

it('opens a plant by its id, and by its address', async () => {
  const user = open();
  await names();
  await user.type(screen.getByRole('searchbox'), `${smallest}{Enter}`);
  await screen.findByRole('heading', { name: 'Fern' });
  expect(location.pathname).toBe(`/p/${smallest}`);
  expect(
    screen.getByText(`await client.createPlant({ body: { id: ${smallest}n, name: "Fern", tag: "shade" } });`),
  ).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(location.pathname).toBe('/');
  history.replaceState(null, '', '/p/7');
  open();
  expect((await screen.findByRole('alert')).textContent).toBe('No plant has the id 7.');
});

it('deletes a plant only after the time in which that can be undone', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const user = open();
  await remove(user, 'Rose');
  expect(await names()).toEqual(['(no name)', 'Fern']);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await names()).toEqual(['Rose', '(no name)', 'Fern']);
  await act(() => vi.advanceTimersByTimeAsync(undoMs));
  expect(sent.filter((line) => line.startsWith('DELETE'))).toEqual([]);

  await remove(user, 'Rose');
  await act(() => vi.advanceTimersByTimeAsync(undoMs));
  await waitFor(() => expect(sent.filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE /plants/3']));
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  expect(await names()).toEqual(['(no name)', 'Fern']);
  vi.useRealTimers();
});

it('deletes at once when the tab closes, and when the view goes', async () => {
  const user = open();
  await remove(user, 'Rose');
  act(() => void window.dispatchEvent(new Event('pagehide')));
  await waitFor(() => expect(sent).toContain('DELETE /plants/3'));
  await remove(user, 'Fern');
  cleanup();
  await waitFor(() => expect(sent).toContain(`DELETE /plants/${smallest}`));
});

it('shows a plant again that could not be deleted, and why', async () => {
  await remove(open(), 'Rose');
  failure = 'database_damaged';
  act(() => void window.dispatchEvent(new Event('pagehide')));
  expect((await screen.findByRole('alert')).textContent).toMatch(/^Rose is not deleted.*damaged/);
  expect(await names()).toEqual(['Rose', '(no name)', 'Fern']);
});
