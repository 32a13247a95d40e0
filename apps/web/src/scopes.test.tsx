import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import type { Scope } from '@plant-store/contract/access-token';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { openApp, serve, token } from '../test/open-page.js';
import { home, navigate } from './route.js';
import { describeScopes } from './shared/use-scopes.js';

/** Opens the page with a token with only these scopes, in a store with one plant. */
async function open(scopes: readonly Scope[], path = '/') {
  const all = createFakePlantStore({ baseUrl: location.origin, token });
  await createClient(all).createPlant({ body: { id: 3, name: 'Rose' } });
  const limited = createFakePlantStore({ baseUrl: location.origin, token, scopes });
  // One store has the plants, the other rejects requests that the token does not permit.
  const fetch = vi.fn(async (url: string, init: RequestInit) => {
    const reply = await limited.fetch(url, init);
    return [401, 403].includes(reply.status) || url.endsWith('/tokens/self') ? reply : all.fetch(url, init);
  });
  vi.stubGlobal('fetch', fetch);
  history.replaceState(null, '', path);
  return { user: openApp(token), fetch, all };
}

const isOffered = (name: string) =>
  screen.queryByRole('button', { name }) !== null || screen.queryByRole('link', { name }) !== null;

it('says what a token without read access permits, and offers only that', async () => {
  const { user, all } = await open(['create']);
  const alert = await screen.findByText(/^This token can add plants, but not see, edit, or delete them\./);
  expect(alert.closest('[role]')?.role).toBe('alert');
  // As other views that hold no list.
  expect(alert.closest('section')?.className).toContain('panel');
  expect([screen.queryByRole('searchbox'), screen.queryByText(/0 plants|No plant/)]).toEqual([null, null]);
  expect(['Import', 'Import a file'].map(isOffered)).toEqual([true, true]);
  await user.click(screen.getByRole('button', { name: 'Add plant' }));
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Fern{Enter}');
  await screen.findByText(/^Stored: Fern/);
  expect(all.plants.size).toBe(2);
});

it.each([
  [['read'], []],
  [['read', 'delete'], ['Delete']],
  [['read', 'update'], ['Edit']],
  [
    ['read', 'create'],
    ['Add plant', 'Import'],
  ],
] satisfies [Scope[], string[]][])('offers with the scopes %j only %j', async (scopes, offered) => {
  const { user } = await open(scopes);
  const names = ['Add plant', 'Import', 'Edit', 'Delete'];
  await waitFor(() => expect(isOffered('Add plant')).toBe(scopes.some((scope) => scope === 'create')));
  await user.click(await screen.findByText('Rose'));
  await screen.findByRole('button', { name: 'Copy the ID' });
  expect(names.filter(isOffered)).toEqual(offered);
});

it('says at the addresses for adding plants that the token may not add any', async () => {
  const { fetch } = await open(['read'], '/add');
  await screen.findByText(/^This token can see plants, but not add, edit, or delete them\./);
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull());
  act(() => navigate({ ...home, view: 'import' }));
  await screen.findByText(/^This token can see plants/);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Choose file' })).toBeNull());
  expect(fetch.mock.calls.filter(([, { method }]) => method !== 'GET')).toEqual([]);
});

it('offers an undo only until the delete is sent, to a token that may not edit', async () => {
  const { user, all } = await open(['read', 'delete']);
  await waitFor(() => expect(isOffered('Add plant')).toBe(false));
  await user.click(await screen.findByText('Rose'));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(isOffered('Undo')).toBe(true));
  act(() => void window.dispatchEvent(new Event('pagehide')));
  await waitFor(() => expect(isOffered('Undo')).toBe(false));
  expect([all.plants.size, isOffered('Dismiss')]).toEqual([0, true]);
});

it('offers everything while the scopes are unknown', async () => {
  const store = createFakePlantStore({ baseUrl: location.origin, token });
  const missing = () => Response.json({ error: 40400, message: 'No.' }, { status: 404 });
  serve(store, async (url) => (url.endsWith('/tokens/self') ? missing() : undefined));
  openApp(token);
  await screen.findByRole('heading', { name: 'Every plant, in one list' });
  expect(screen.getAllByRole('button', { name: 'Add plant' })).toHaveLength(1);
  expect(['Add plant', 'Import'].map(isOffered)).toEqual([true, true]);
});

it('describes scopes in a sentence', () => {
  expect(describeScopes(['create', 'read', 'update', 'delete'])).toBe(
    'This token can see, add, edit, and delete plants.',
  );
  expect(describeScopes([])).toBe('This token has no plant permissions.');
});
