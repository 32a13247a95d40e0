import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openApp, serve, token } from '../test/open-page.js';
import { home, navigate } from './route.js';

beforeEach(async () => {
  const store = createFakePlantStore({ baseUrl: location.origin, token });
  await createClient(store).createPlant({ body: { id: 701, name: 'Rose', tag: 'sun' } });
  serve(store);
  history.replaceState(null, '', '/');
});

/** The texts with one of these words that a browser may translate. */
function translatable(words: RegExp): readonly (string | null)[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: (string | null)[] = [];
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const isKept = node.parentElement?.closest('[translate="no"], option') !== null;
    if (!isKept && words.test(node.nodeValue ?? '')) found.push(node.nodeValue);
  }
  return found;
}

it('does not let a browser translate names, tags, ids and code', async () => {
  const user = openApp(token);
  const ofPlant = /Rose|Fern|sun|701|702|curl http|createPlant/;
  await screen.findByText('Rose');
  expect(translatable(ofPlant)).toEqual([]);
  await user.click(screen.getByText('Rose'));
  await screen.findByText(/^curl http/);
  expect(translatable(ofPlant)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await screen.findByRole('button', { name: 'Undo' });
  expect(translatable(ofPlant)).toEqual([]);
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await user.type(screen.getByRole('searchbox'), '701');
  await screen.findByText('1 plant found by ID');
  expect(translatable(ofPlant)).toEqual([]);
  act(() => navigate({ ...home, view: 'add' }));
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Fern');
  await user.click(screen.getByRole('button', { name: 'Change the ID' }));
  await user.clear(screen.getByRole('textbox', { name: 'ID' }));
  await user.type(screen.getByRole('textbox', { name: 'ID' }), '701{Enter}');
  await screen.findByRole('button', { name: 'Open it' });
  expect(translatable(ofPlant)).toEqual([]);
});

it("shows what happened and what to do if something removes the page's elements, and keeps what was typed", async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const user = openApp(token);
  await screen.findByText('Rose');
  act(() => navigate({ ...home, view: 'add' }));
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Fern');
  document.querySelector('section.plants')?.remove();
  act(() => navigate({ ...home, view: 'import' }));
  await waitFor(() =>
    expect(screen.getByRole('alert').textContent).toMatch(/^This page stopped working\. Reload/),
  );
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeDefined();
  expect(screen.getByText(/NotFoundError/)).toBeDefined();
  history.replaceState(null, '', '/add');
  openApp(token);
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })).value).toBe('Fern');
});
