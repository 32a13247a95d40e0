import { createFakePlantStore } from '@plant-store/client/testing';
import { screen } from '@testing-library/react';
import { beforeEach, expect, vi } from 'vitest';
import { AddSheet } from '../src/add/add-sheet.js';
import { renderView } from './render-view.js';

/** What the sheet works with, made again before each test; `sent` are the requests so far that add plants. */
export const tab = { store: createFakePlantStore(), sent: [] as RequestInit[] };

beforeEach(() => {
  tab.store = createFakePlantStore({ baseUrl: location.origin });
  tab.sent = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (init.method === 'POST') tab.sent.push(init);
    return tab.store.fetch(url, init);
  });
});

/** Holds all requests from now on until the function is called. */
export function hold(): () => void {
  const { fetch } = globalThis;
  const { promise, resolve } = Promise.withResolvers<void>();
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => promise.then(() => fetch(url, init)));
  return resolve;
}

/** Shows the sheet; again, as after a reload, once it was shown before. */
export const open = () =>
  renderView(
    <AddSheet filter={{ order: 'newest' }} isOpen importLines={async () => undefined} />,
    tab.store.token,
  );

/** The controls, and the list. */
export const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
export const addButton = () => screen.getByRole('button', { name: /^Add/ });
/** Expects that so many plants are listed, with these texts. */
export function expectList(...texts: readonly RegExp[]) {
  const listed = screen.queryAllByRole('listitem').map((item) => item.textContent);
  expect(listed).toEqual(texts.map((text) => expect.stringMatching(text)));
}

export async function fill(user: ReturnType<typeof open>, values: Record<string, string>) {
  const change = screen.queryByRole('button', { name: 'Change the ID' });
  if ('ID' in values && change !== null) await user.click(change);
  for (const [name, value] of Object.entries(values)) {
    await user.clear(field(name));
    // Not key by key, of which each renders the form again.
    await user.paste(value);
  }
}

export async function add(user: ReturnType<typeof open>, values: Record<string, string>) {
  await fill(user, values);
  await user.click(addButton());
}
