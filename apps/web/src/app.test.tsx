import { createFakePlantStore } from '@plant-store/client/testing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { App } from './app.js';
import { queryOptions } from './query-options.js';

const known = `pst_${'0'.repeat(42)}72YDVwp`;
const store = createFakePlantStore({ baseUrl: location.origin, token: known });
const fetch = vi.fn(store.fetch);

beforeEach(() => {
  store.clear();
  store.acceptTokens(known);
  fetch.mockClear();
  vi.stubGlobal('fetch', fetch);
});

/** Opens the page, after a first time again as a reload does. */
function open(tokenFromAddress?: string) {
  cleanup();
  render(
    <QueryClientProvider client={new QueryClient(queryOptions)}>
      <App tokenFromAddress={tokenFromAddress} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

const tokenField = () => screen.getByLabelText<HTMLInputElement>('Access token');
const noteOf = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;
const oneTab = () => screen.getByRole('tab', { name: 'One plant' });

/** What this tab keeps that holds the token. */
const keptTokens = () =>
  Object.entries({ ...sessionStorage })
    .filter(([, value]) => value.includes(known))
    .map(([key]) => key);

it('asks for the token first, checks it before anything is sent, and keeps it for the tab alone', async () => {
  const user = open();
  expect(screen.queryByRole('tab')).toBeNull();
  await user.type(tokenField(), `${known}x{Enter}`);
  expect(noteOf(tokenField())).toContain('not complete, or mistyped');
  expect(tokenField().getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(tokenField());
  expect(keptTokens()).toEqual([]);

  await user.clear(tokenField());
  await user.click(tokenField());
  await user.paste(`  ${known} \n`);
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(oneTab());
  expect(keptTokens()).toEqual(['plant-store.token']);
  expect(localStorage.length).toBe(0);
  expect(document.body.innerHTML).not.toContain(known);
  expect(fetch).not.toHaveBeenCalled();
});

it('hides the token as it is typed, and shows it on demand', async () => {
  const user = open();
  expect(tokenField().type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: false }));
  expect(tokenField().type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: true }));
  expect(tokenField().type).toBe('password');
});

it('uses the token of the address, and that from before a reload', () => {
  open(known);
  expect(oneTab().getAttribute('aria-selected')).toBe('true');
  expect(document.activeElement).toBe(document.body);
  open();
  expect(oneTab().getAttribute('aria-selected')).toBe('true');
});

it('says that the token of the address cannot be used, and keeps none', () => {
  open(known.slice(0, -1));
  expect(noteOf(tokenField())).toMatch(/^The token in the address cannot be used\..*not complete/);
  expect(keptTokens()).toEqual([]);
});

it('takes a token that is entered into the address of the open page', async () => {
  open();
  act(() => {
    location.hash = `#token=${known}`;
  });
  await waitFor(() => expect(oneTab()).toBeDefined());
  expect(location.href).not.toContain('pst_');
});

it('forgets the token by a button', async () => {
  const user = open(known);
  expect(keptTokens()).toEqual(['plant-store.token']);
  await user.click(screen.getByRole('button', { name: 'Forget token' }));
  expect(keptTokens()).toEqual([]);
  expect(screen.queryByRole('tab')).toBeNull();
  expect(document.activeElement).toBe(tokenField());
  open();
  expect(tokenField().value).toBe('');
});

it('asks again when the service rejects the token, and goes on with what was typed', async () => {
  const other = createFakePlantStore().token;
  store.acceptTokens(other);
  const user = open(known);
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Rose{Enter}');
  await waitFor(() => expect(noteOf(tokenField())).toContain('The access token is not known here.'));
  expect(document.activeElement).toBe(tokenField());
  expect(screen.queryByRole('tab')).toBeNull();
  expect(keptTokens()).toEqual([]);

  store.acceptTokens(known);
  await user.type(tokenField(), `${known}{Enter}`);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Rose');
  await user.click(screen.getByRole('button', { name: 'Add plant' }));
  await screen.findByText(/^Stored: Rose/);
});

it('loads "Many plants" when its tab is selected, by arrow keys too, and keeps what is in the other', async () => {
  const user = open(known);
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Rose');
  await user.click(oneTab());
  await user.keyboard('{ArrowRight}');
  const manyTab = screen.getByRole('tab', { name: 'Many plants', selected: true });
  expect(document.activeElement).toBe(manyTab);
  await screen.findByRole('heading', { name: /Many plants/ });
  await user.keyboard('{ArrowRight}');
  expect(document.activeElement).toBe(oneTab());
  await user.keyboard('{End}');
  expect(document.activeElement).toBe(manyTab);
  await user.keyboard('{Home}');
  expect(document.activeElement).toBe(oneTab());
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Rose');
});
