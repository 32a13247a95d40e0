import { createFakePlantStore } from '@plant-store/client/testing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { App } from './app.js';
import { queryOptions } from './query-options.js';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_';
const known = `pst_${'0'.repeat(42)}72YDVwp`;
const store = createFakePlantStore({ baseUrl: location.origin, token: known });
const fetch = vi.fn(store.fetch);

beforeEach(() => {
  history.replaceState(null, '', '/add');
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
const nameField = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
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

it('announces that the token of the address cannot be used, and keeps none', () => {
  open(known.slice(0, -1));
  expect(screen.getByRole('alert').textContent).toBe(noteOf(tokenField()));
  expect(noteOf(tokenField())).toMatch(/^The token in the address cannot be used\..*not complete/);
  expect(keptTokens()).toEqual([]);
});

it('goes on with the token that it has when that of a later address is damaged', async () => {
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  act(() => {
    location.hash = `#token=${known.slice(0, -1)}`;
  });
  await screen.findByText(/^The token in the address cannot be used\..*not complete/);
  expect(screen.getAllByRole('alert')[0]?.textContent).toMatch(/goes on with the one that it has\.$/);
  expect(location.href).not.toContain('pst_');
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }));
  expect(keptTokens()).toEqual(['plant-store.token']);
  open();
  expect(oneTab().getAttribute('aria-selected')).toBe('true');
  expect(screen.queryByText(/The token in the address/)).toBeNull();
});

it('keeps a token that was entered when an earlier one is rejected late', async () => {
  const user = open(known);
  let reply = () => {};
  const replied = new Promise<void>((resolve) => {
    reply = resolve;
  });
  store.acceptTokens(createFakePlantStore().token);
  fetch.mockImplementationOnce((url, init) => replied.then(() => store.fetch(url, init)));
  await user.type(await nameField(), 'Rose{Enter}');
  await waitFor(() => expect(fetch).toHaveBeenCalledTimes(1));
  act(() => {
    location.hash = `#token=${jwt}`;
  });
  await waitFor(() => expect(sessionStorage.getItem('plant-store.token')).toBe(JSON.stringify(jwt)));
  reply();
  await screen.findByText(/^The access token is not known here\./);
  expect(oneTab().getAttribute('aria-selected')).toBe('true');
  expect(sessionStorage.getItem('plant-store.token')).toBe(JSON.stringify(jwt));
});

it('leaves what is typed as another token alone when a request is stopped by forgetting the first', async () => {
  const user = open(known);
  store.fail({ kind: 'delay', ms: 60_000 });
  await user.type(await nameField(), 'Rose{Enter}');
  await waitFor(() => expect(fetch).toHaveBeenCalledTimes(1));
  await user.click(screen.getByRole('button', { name: 'Forget token' }));
  await user.type(tokenField(), 'pst_');
  expect(fetch.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  expect(tokenField().value).toBe('pst_');
  expect(tokenField().getAttribute('aria-invalid')).toBe('false');
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
  await user.type(await nameField(), 'Rose{Enter}');
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

it('shows the view of the address, and loads each when it is shown, by arrow keys too', async () => {
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  await user.click(oneTab());
  await user.keyboard('{ArrowRight}');
  const manyTab = screen.getByRole('tab', { name: 'Many plants', selected: true });
  expect([document.activeElement, location.pathname]).toEqual([manyTab, '/import']);
  await screen.findByRole('heading', { name: /Many plants/ });
  await user.keyboard('{ArrowRight}');
  const plantsTab = screen.getByRole('tab', { name: 'Plants', selected: true });
  expect([document.activeElement, location.pathname]).toEqual([plantsTab, '/']);
  await user.keyboard('{End}');
  expect(document.activeElement).toBe(manyTab);
  await user.keyboard('{Home}{ArrowRight}');
  expect([document.activeElement, location.pathname]).toEqual([oneTab(), '/add']);
  expect((await nameField()).value).toBe('Rose');
  act(() => history.back());
  await screen.findByRole('tab', { name: 'Plants', selected: true });
});
