import { createFakePlantStore } from '@plant-store/client/testing';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { App } from './app.js';

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
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
});

/** The requests so far that add a plant. */
const creates = () => fetch.mock.calls.filter(([, { method }]) => method === 'POST');

/** Opens the page, after a first time again as a reload does. */
function open(tokenFromAddress?: string) {
  cleanup();
  render(<App tokenFromAddress={tokenFromAddress} />);
  return userEvent.setup();
}

const tokenField = () => screen.getByLabelText<HTMLInputElement>('Access token');
const noteOf = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;
const nameField = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
/** There once a token is accepted. */
const plantsLink = () => screen.getByRole('link', { name: 'Plants', current: 'page' });

/** What this tab keeps that holds the token. */
const keptTokens = () =>
  Object.entries({ ...sessionStorage })
    .filter(([, value]) => value.includes(known))
    .map(([key]) => key);

it('asks for the token first, checks it before it is sent, and keeps it for the tab alone', async () => {
  history.replaceState(null, '', '/');
  const user = open();
  expect(screen.queryByRole('link', { name: 'Plants' })).toBeNull();
  await user.type(tokenField(), `${known}x{Enter}`);
  expect(noteOf(tokenField())).toContain('not complete, or mistyped');
  expect(tokenField().getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(tokenField());
  expect(keptTokens()).toEqual([]);
  expect(fetch).not.toHaveBeenCalled();

  await user.clear(tokenField());
  await user.click(tokenField());
  await user.paste(`  ${known} \n`);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(plantsLink()));
  expect(keptTokens()).toEqual(['plant-store.token']);
  expect(localStorage.length).toBe(0);
  expect(document.body.innerHTML).not.toContain(known);
});

it('asks the service about a token that is entered, and stays where that rejects it', async () => {
  const user = open();
  store.acceptTokens('another');
  await user.type(tokenField(), `${known}{Enter}`);
  await waitFor(() => expect(noteOf(tokenField())).toMatch(/^The access token is not known here/));
  expect(document.activeElement).toBe(tokenField());
  expect(keptTokens()).toEqual([]);
  fetch.mockRejectedValueOnce(new TypeError('fetch failed'));
  await user.type(tokenField(), '{Enter}');
  await waitFor(() => expect(keptTokens()).toEqual(['plant-store.token']));
});

it.each(['/', '/add', '/import'])(
  'asks for another token where the service rejects that of the tab, at %s',
  async (path) => {
    history.replaceState(null, '', path);
    store.acceptTokens('another');
    open(known);
    await waitFor(() => expect(noteOf(tokenField())).toMatch(/^The access token is not known here/));
    store.acceptTokens(known);
    await userEvent.setup().type(tokenField(), `${known}{Enter}`);
    await waitFor(() => expect(keptTokens()).toEqual(['plant-store.token']));
    expect(screen.queryByLabelText('Access token')).toBeNull();
  },
);

it('hides the token as it is typed, and shows it on demand', async () => {
  const user = open();
  expect(tokenField().type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: false }));
  expect(tokenField().type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: true }));
  expect(tokenField().type).toBe('password');
});

it('uses the token of the address, and that from before a reload', () => {
  history.replaceState(null, '', '/');
  open(known);
  expect(plantsLink()).toBeDefined();
  expect(document.activeElement).toBe(document.body);
  open();
  expect(plantsLink()).toBeDefined();
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
  expect(plantsLink()).toBeDefined();
  expect(screen.queryByText(/The token in the address/)).toBeNull();
});

it('keeps a token that was entered when an earlier one is rejected late', async () => {
  const user = open(known);
  let reply = () => {};
  const replied = new Promise<void>((resolve) => {
    reply = resolve;
  });
  await user.type(await nameField(), 'Rose');
  store.acceptTokens(jwt);
  fetch.mockImplementationOnce((url, init) => replied.then(() => store.fetch(url, init)));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(creates()).toHaveLength(1));
  act(() => {
    location.hash = `#token=${jwt}`;
  });
  await waitFor(() => expect(sessionStorage.getItem('plant-store.token')).toBe(JSON.stringify(jwt)));
  reply();
  await screen.findByText(/^The access token is not known here\./);
  expect(plantsLink()).toBeDefined();
  expect(sessionStorage.getItem('plant-store.token')).toBe(JSON.stringify(jwt));
});

it('leaves what is typed as another token alone when a request is stopped by forgetting the first', async () => {
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  store.fail({ kind: 'delay', ms: 60_000 });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(creates()).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Forget token' }));
  await user.type(tokenField(), 'pst_');
  expect(creates()[0]?.[1].signal?.aborted).toBe(true);
  expect(tokenField().value).toBe('pst_');
  expect(tokenField().getAttribute('aria-invalid')).toBe('false');
});

it('takes a token that is entered into the address of the open page', async () => {
  open();
  act(() => {
    location.hash = `#token=${known}`;
  });
  await waitFor(() => expect(plantsLink()).toBeDefined());
  expect(location.href).not.toContain('pst_');
});

it('forgets the token by a button', async () => {
  const user = open(known);
  expect(keptTokens()).toEqual(['plant-store.token']);
  await user.click(screen.getByRole('button', { name: 'Forget token' }));
  expect(keptTokens()).toEqual([]);
  expect(screen.queryByRole('link', { name: 'Plants' })).toBeNull();
  expect(document.activeElement).toBe(tokenField());
  open();
  expect(tokenField().value).toBe('');
});

it('asks again when the service rejects the token, and goes on with what was typed', async () => {
  const other = createFakePlantStore().token;
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  store.acceptTokens(other);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(noteOf(tokenField())).toContain('The access token is not known here.'));
  expect(document.activeElement).toBe(tokenField());
  expect(screen.queryByRole('link', { name: 'Plants' })).toBeNull();
  expect(keptTokens()).toEqual([]);

  store.acceptTokens(known);
  await user.type(tokenField(), `${known}{Enter}`);
  expect((await nameField()).value).toBe('Rose');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByText(/^Stored: Rose/);
});

it('shows the view of the address, keeps what was typed, and shows a plant that was added', async () => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(480);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1_000);
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(location.pathname).toBe('/');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('link', { name: 'Import' }));
  expect(location.pathname).toBe('/import');
  await screen.findByRole('heading', { level: 2 });
  await user.click(screen.getByRole('link', { name: 'Add a plant' }));
  expect([location.pathname, (await nameField()).value]).toEqual(['/add', 'Rose']);
  await user.keyboard('{Enter}');
  await screen.findByRole('row', { name: /^Rose/ });
  act(() => history.back());
  await screen.findByRole('link', { name: 'Import', current: 'page' });
});
