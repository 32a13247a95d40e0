import { createFakePlantStore } from '@plant-store/client/testing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StrictMode } from 'react';
import { beforeEach, type Mock, vi } from 'vitest';
import { AddSheet } from '../src/add/add-sheet.js';
import { queryOptions } from '../src/query-options.js';

/** What the sheet works with, made again before each test. */
export const tab = {
  store: createFakePlantStore(),
  /** The requests so far that add plants. */
  sent: [] as RequestInit[],
  onTokenRejected: vi.fn() as Mock<(message: string) => void>,
};

beforeEach(() => {
  tab.store = createFakePlantStore({ baseUrl: location.origin });
  tab.sent = [];
  tab.onTokenRejected.mockClear();
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (init.method === 'POST') tab.sent.push(init);
    return tab.store.fetch(url, init);
  });
});

/** Holds all requests from now on until the function is called. */
export function holdReplies(): () => void {
  const { fetch } = globalThis;
  const { promise, resolve } = Promise.withResolvers<void>();
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => promise.then(() => fetch(url, init)));
  return resolve;
}

/** Stores the plant 7, Fern, past the page. */
export async function storeFern() {
  await tab.store.fetch(`${location.origin}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tab.store.token}`, 'Content-Type': 'application/json' },
    body: '{"id":7,"name":"Fern"}',
  });
}

/** Shows the sheet; again, as after a reload, once it was shown before. */
export function open(token = tab.store.token) {
  cleanup();
  render(
    // As in main.tsx: effects run twice.
    <StrictMode>
      <QueryClientProvider client={new QueryClient(queryOptions)}>
        <AddSheet token={token} filter={{ order: 'newest' }} isOpen onTokenRejected={tab.onTokenRejected} />
      </QueryClientProvider>
    </StrictMode>,
  );
  return userEvent.setup();
}

/** The controls, the list, and the line below a field. */
const changeId = () => screen.queryByRole('button', { name: 'Change the id' });
export const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
export const addButton = () => screen.getByRole('button', { name: /^Add/ });
export const listed = () => screen.queryAllByRole('listitem').map((item) => item.textContent);
export const describes = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;

export async function fill(user: ReturnType<typeof open>, values: Record<string, string>) {
  const change = changeId();
  if ('Id' in values && change !== null) await user.click(change);
  for (const [name, value] of Object.entries(values)) {
    await user.clear(field(name));
    if (value !== '') await user.type(field(name), value);
  }
}
