import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noChanges, openPlants, serve } from '../../test/open-page.js';
import { home, navigate } from '../route.js';
import { deleteDelayMs } from './undo-provider.js';

let store: ReturnType<typeof createFakePlantStore>;
let sent: string[];
/** Whether the service is unavailable. */
let isAway: boolean;
/** The reply to requests for changes, for example that they are not supported, as on Citus. */
let changesReply: (() => Response) | undefined;

beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const body = {
    plants: [
      { id: 70, name: 'Fern', tag: 'shade' },
      { id: 71, name: 'Ivy 70', tag: 'Shade' },
      { id: 72, name: 'Yew', tag: 'shade' },
      { id: 73, name: 'Rose', tag: 'sun' },
    ],
  };
  await createClient(store).createPlants({ body });
  isAway = false;
  changesReply = undefined;
  history.replaceState(null, '', '/');
  sent = serve(store, async (url) => {
    if (isAway) throw new TypeError('fetch failed');
    return url.includes('/changes') ? changesReply?.() : undefined;
  });
});

// Leaving the view sends the deletes that wait for an undo to the store of this test.
afterEach(async () => {
  cleanup();
  await delay(10);
});

const open = () => openPlants(store);
const status = () => document.querySelector('.list-status')?.textContent;
const search = () => screen.getByRole<HTMLInputElement>('searchbox');
/** Shows the plants with a tag, or all, as a link of the side bar does. */
const showTag = (tag?: string) => act(() => navigate({ view: 'plants', filter: { tag, order: 'newest' } }));
const namesNow = () =>
  screen
    .queryAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('.plant-name')?.textContent);
const showsNames = (...names: string[]) => waitFor(() => expect(namesNow()).toEqual(names));
const all = ['Rose', 'Yew', 'Ivy 70', 'Fern'] as const;

it('shows no count while the service is unavailable, and shows the plants automatically once it answers', async () => {
  isAway = true;
  open();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/^The connection to the server failed.* This page resumes automatically/);
  expect(alert.textContent).not.toContain('saved');
  expect(status()).toBe('');
  expect(screen.queryByText(/No plant/)).toBeNull();
  isAway = false;
  await showsNames(...all);
  expect([screen.queryByRole('alert'), status()]).toEqual([null, '4 plants']);
});

it('keeps loaded plants, marked as outdated, with one notice if the service becomes unavailable during a search', async () => {
  const user = open();
  await showsNames(...all);
  isAway = true;
  await user.type(search(), 'ros');
  await screen.findByRole('alert');
  expect(namesNow()).toEqual(all);
  expect(status()).toBe('');
  await user.type(search(), 'e');
  await waitFor(() => expect(location.search).toBe('?q=rose'));
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(document.querySelector('.plant-table')?.getAttribute('aria-busy')).toBe('true');
  isAway = false;
  act(() => void window.dispatchEvent(new Event('online')));
  await showsNames('Rose');
  expect([screen.queryByRole('alert'), status()]).toEqual([null, '1 plant found']);
  expect(document.querySelector('.plant-table')?.getAttribute('aria-busy')).toBe('false');
});

it('shows the plant with an id first, and opens it on Enter', async () => {
  const user = open();
  await user.type(search(), '70');
  await showsNames('Fern', 'Ivy 70');
  expect(status()).toBe('2 plants found, with the exact ID match first');
  await user.clear(search());
  await user.type(search(), '73');
  await showsNames('Rose');
  expect(status()).toBe('1 plant found by ID');
  await user.keyboard('{Enter}');
  await screen.findByRole('heading', { name: 'Rose' });
});

it('says that no plant has an id only after asking the service, and shows one that is added later', async () => {
  const { promise, resolve: reply } = Promise.withResolvers<void>();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.endsWith('/plants/8')) await promise;
    return fetch(url, init);
  });
  const user = open();
  await showsNames(...all);
  await user.type(search(), '8');
  await waitFor(() => expect(sent).toContain('GET /plants?limit=1000&total=true&q=8&order=newest'));
  await waitFor(() => expect(document.querySelector('.plant-table')).toBeNull());
  expect([status(), screen.queryByText(/No plant/)]).toEqual(['Searching…', null]);
  reply();
  await screen.findByText('0 plants found. No plant has this ID');
  expect(screen.queryByRole('button', { name: /^Open plant/ })).toBeNull();
  await createClient(store).createPlant({ body: { id: 8, name: 'Oak' } });
  await showsNames('Oak');
});

it('does not list a plant by id if it has another tag or is about to be deleted', async () => {
  history.replaceState(null, '', '/?tag=sun');
  const user = open();
  await user.type(search(), '70');
  await screen.findByText('0 plants found. The plant with this ID has a different tag');
  act(() => navigate({ view: 'plants', filter: { q: '70', order: 'newest' } }));
  await showsNames('Fern', 'Ivy 70');
  await remove(user, 'Fern');
  await showsNames('Ivy 70');
  expect(status()).toBe('1 plant found. No plant has this ID');
});

it('shows nothing for a tag without plants, and opens the plant by a press on its tag', async () => {
  history.replaceState(null, '', '/?tag=tree');
  const user = open();
  await screen.findByText('0 plants found');
  await screen.findByRole('heading', { name: 'No plant has this tag' });
  await user.click(screen.getByRole('button', { name: 'Show all plants' }));
  await showsNames(...all);
  await user.click(screen.getByText('sun'));
  await screen.findByRole('complementary', { name: 'Rose' });
  expect([location.pathname, location.search]).toEqual(['/p/73', '']);
});

it('filters by exactly one tag, and offers those that differ only in case, and one that is searched for', async () => {
  const user = open();
  await showsNames(...all);
  showTag('shade');
  await showsNames('Yew', 'Fern');
  await user.click(await screen.findByRole('button', { name: 'Show plants with the tag Shade 1' }));
  await showsNames('Ivy 70');
  expect(screen.getByRole('heading', { name: 'Shade', level: 1 })).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Show plants with the tag shade 2' }));
  await showsNames('Yew', 'Fern');
  showTag();
  await showsNames(...all);
  expect(screen.queryByRole('button', { name: /Show plants/ })).toBeNull();
  history.replaceState(null, '', '/?q=Sun');
  const again = open();
  await again.click(await screen.findByRole('button', { name: 'Show plants with the tag sun 1' }));
  await showsNames('Rose');
  expect([location.search, screen.queryByRole('button', { name: /Show plants with/ })]).toEqual([
    '?tag=sun',
    null,
  ]);
});

async function remove(user: ReturnType<typeof open>, name: string) {
  await user.click(await screen.findByText(name));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
}
/** Presses a button beside the note that a plant was deleted. */
const pressFor = async (user: ReturnType<typeof open>, name: string, button: string) => {
  const note = await screen.findByText(name, { selector: '.undo-bar bdi' });
  const item = note.closest<HTMLElement>('.undo-item');
  return user.click(within(item ?? document.body).getByRole('button', { name: button }));
};

it('keeps the undo of a delete through later deletes, and hides the plants in any list until then', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const user = open();
  await remove(user, 'Fern');
  await remove(user, 'Rose');
  await showsNames('Yew', 'Ivy 70');
  await user.type(search(), 'e');
  await showsNames('Yew');
  await pressFor(user, 'Fern', 'Undo');
  await showsNames('Yew', 'Fern');
  await act(() => vi.advanceTimersByTimeAsync(deleteDelayMs));
  await waitFor(() => expect([...store.plants.keys()]).toEqual([70n, 71n, 72n]));
  await pressFor(user, 'Rose', 'Undo');
  await showsNames('Rose', 'Yew', 'Fern');
  await screen.findByText('Restored');
  vi.useRealTimers();
});

it.each([
  ['where the database has no changes', noChanges],
  [
    'behind a proxy that cuts requests that wait',
    () => {
      throw new TypeError('fetch failed');
    },
  ],
])('reloads the list every minute, on focus, and on a press on All plants, %s', async (_, reply) => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  changesReply = reply;
  open();
  await showsNames(...all);
  const other = createClient({ ...store, fetch: store.fetch });
  await other.createPlant({ body: { id: 1, name: 'Oak' } });
  await act(() => vi.advanceTimersByTimeAsync(61_000));
  await showsNames('Oak', ...all);
  await other.createPlant({ body: { id: 2, name: 'Elm' } });
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await showsNames('Elm', 'Oak', ...all);
  await other.createPlant({ body: { id: 3, name: 'Ash' } });
  act(() => navigate(home));
  await showsNames('Ash', 'Elm', 'Oak', ...all);
  vi.useRealTimers();
});

it('does not reload while it follows changes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  open();
  await showsNames(...all);
  await waitFor(() => expect(sent.some((line) => line.includes('wait=25'))).toBe(true));
  await act(() => vi.advanceTimersByTimeAsync(59_000));
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(sent.filter((line) => line.startsWith('GET /plants?limit=1000'))).toHaveLength(1);
  vi.useRealTimers();
});

it('shows the plants of a restored backup, and later changes', async () => {
  open();
  await showsNames(...all);
  await waitFor(() => expect(sent.some((line) => line.includes('wait=25'))).toBe(true));
  const backup = new Map(store.plants);
  backup.delete(72n);
  backup.set(73n, { name: 'Rose of the backup' });
  store.restore(backup);
  await waitFor(() =>
    expect(namesNow().toSorted()).toEqual(['Fern', 'Ivy 70', 'Rose of the backup'].toSorted()),
  );
  await createClient(store).createPlant({ body: { id: 80, name: 'Elm' } });
  await waitFor(() => expect(namesNow()[0]).toBe('Elm'));
});
