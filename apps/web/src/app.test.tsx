import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { token as known, openApp as open } from '../test/open-page.js';
import { describes } from '../test/render-view.js';
import { App } from './app.js';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_';
const store = createFakePlantStore({ baseUrl: location.origin, token: known });
const fetch = vi.fn(store.fetch);

beforeEach(() => {
  history.replaceState(null, '', '/add');
  store.clear();
  store.acceptTokens(known);
  fetch.mockClear();
  vi.stubGlobal('fetch', fetch);
});

/** The requests so far that add a plant. */
const creates = () => fetch.mock.calls.filter(([, { method }]) => method === 'POST');

const tokenField = () => screen.getByLabelText<HTMLInputElement>('Access token');
/** Pastes the token, because typing renders the page for every key. */
async function enterToken(user: ReturnType<typeof open>, token = known) {
  await user.clear(await screen.findByLabelText('Access token'));
  await user.paste(token);
  await user.keyboard('{Enter}');
}
const addSheet = async () => within(await screen.findByRole('dialog', { name: 'Add a plant' }));
const nameField = async () => (await addSheet()).findByRole<HTMLInputElement>('textbox', { name: 'Name' });
/** Present once a token is accepted. */
const plantsLink = () => screen.getByRole('link', { name: /^All plants/, current: 'page' });
async function signOut(user: ReturnType<typeof open>) {
  await user.click(screen.getByRole('button', { name: 'Access' }));
  await user.click(await screen.findByRole('button', { name: 'Sign out' }));
}

/** Lets the tab have the known token, at the address of the list. */
function signIn() {
  history.replaceState(null, '', '/');
  sessionStorage.setItem('plant-store.token', JSON.stringify(known));
}

/** The token that this tab keeps. */
const keptToken = () => JSON.parse(sessionStorage.getItem('plant-store.token') ?? 'null');

/** The keys under which this tab stores the token. */
const keptTokens = () => Object.keys(sessionStorage).filter((key) => sessionStorage[key].includes(known));

it('asks for the token first, hides and checks it, keeps it only for the tab, and uses the token in the address', async () => {
  history.replaceState(null, '', '/');
  const user = open();
  expect(screen.queryByRole('link', { name: /^All plants/ })).toBeNull();
  await enterToken(user, `${known}x`);
  expect(describes(tokenField())).toContain('incomplete or mistyped');
  expect(tokenField().getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(tokenField());
  expect(keptTokens()).toEqual([]);
  expect(fetch).not.toHaveBeenCalled();

  expect(tokenField().type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: false }));
  expect(tokenField().type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Show token', pressed: true }));
  expect(tokenField().type).toBe('password');
  await enterToken(user, `  ${known} \n`);
  await waitFor(() => expect(plantsLink()).toBeDefined());
  expect(document.activeElement).toBe(screen.getByRole('main'));
  expect(keptTokens()).toEqual(['plant-store.token']);
  expect(localStorage.length).toBe(0);
  expect(document.body.innerHTML).not.toContain(known);
  open(known);
  expect(plantsLink()).toBeDefined();
  expect(document.activeElement).toBe(document.body);
});

it('checks an entered token with the service, and stays on the form if it is rejected', async () => {
  const user = open();
  store.acceptTokens('another');
  await enterToken(user);
  await waitFor(() => expect(describes(tokenField())).toMatch(/^The access token is unknown/));
  expect(document.activeElement).toBe(tokenField());
  expect(keptTokens()).toEqual([]);
  // Otherwise the next requests of the page would reject it again.
  store.acceptTokens(known);
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
    await waitFor(() => expect(describes(tokenField())).toMatch(/^The access token is unknown/));
  },
);

it('announces that the token in the address cannot be used, and keeps no token or the current one', async () => {
  const damaged = known.slice(0, -1);
  open(damaged);
  expect(screen.getByRole('alert').textContent).toBe(describes(tokenField()));
  expect(describes(tokenField())).toMatch(/^The token in the link cannot be used\..*incomplete/);
  expect(keptTokens()).toEqual([]);

  const user = open(known);
  await user.type(await nameField(), 'Rose');
  act(() => {
    location.hash = `#token=${damaged}`;
  });
  await screen.findByText(/^The token in the link cannot be used\..*incomplete/);
  expect(screen.getAllByRole('alert')[0]?.textContent).toMatch(/still signed in\.$/);
  expect(location.href).not.toContain('pst_');
  expect(document.activeElement).toBe(await nameField());
  expect(keptTokens()).toEqual(['plant-store.token']);
  open();
  expect(plantsLink()).toBeDefined();
  expect(screen.queryByText(/The token in the link/)).toBeNull();
});

it('takes a token from the address of the open page, and keeps it when the previous token is rejected late', async () => {
  const user = open(known);
  const { promise, resolve: reply } = Promise.withResolvers<void>();
  await user.type(await nameField(), 'Rose');
  store.acceptTokens(jwt);
  fetch.mockImplementationOnce((url, init) => promise.then(() => store.fetch(url, init)));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(creates()).toHaveLength(1));
  act(() => {
    location.hash = `#token=${jwt}`;
  });
  await user.click(await screen.findByRole('button', { name: 'Use the token from the link' }));
  await waitFor(() => expect(keptToken()).toBe(jwt));
  expect(location.href).not.toContain(jwt);
  reply();
  await screen.findByText(/^The access token is unknown\./);
  expect(plantsLink()).toBeDefined();
  expect(keptToken()).toBe(jwt);
});

it('asks before the token of a link replaces another one, and keeps that one by default', async () => {
  signIn();
  store.acceptTokens(known, jwt);
  const user = open(jwt);
  const stay = await screen.findByRole('button', { name: 'Stay signed in' });
  const dialog = await screen.findByRole('dialog', { name: 'Use the access token from this link?' });
  expect(document.activeElement).toBe(stay);
  await waitFor(() => expect(dialog.textContent).toContain('You are signed in as test'));
  const sentTokens = () =>
    new Set(fetch.mock.calls.map(([, { headers }]) => new Headers(headers).get('authorization')));
  expect(sentTokens()).toEqual(new Set([`Bearer ${known}`]));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(dialog.isConnected).toBe(false));
  expect([keptToken(), plantsLink().isConnected]).toEqual([known, true]);
  // A reload does not ask again.
  open();
  expect(plantsLink()).toBeDefined();
  expect(screen.queryByRole('dialog')).toBeNull();

  open(jwt);
  fireEvent(await screen.findByRole('dialog'), new Event('cancel', { cancelable: true }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(keptToken()).toBe(known);

  const again = open(jwt);
  await again.click(await screen.findByRole('button', { name: 'Use the token from the link' }));
  await waitFor(() => expect(keptToken()).toBe(jwt));
  expect(screen.queryByRole('dialog')).toBeNull();
  await waitFor(() => expect(sentTokens()).toEqual(new Set([`Bearer ${known}`, `Bearer ${jwt}`])));
});

it('does not ask about a link with the current token, and other tabs keep the token on the device', async () => {
  history.replaceState(null, '', '/');
  localStorage.setItem('plant-store.token', JSON.stringify(known));
  store.acceptTokens(known, jwt);
  open(known);
  expect(plantsLink()).toBeDefined();
  expect(screen.queryByRole('dialog')).toBeNull();
  const user = open(jwt);
  await user.click(await screen.findByRole('button', { name: 'Use the token from the link' }));
  await waitFor(() => expect(keptToken()).toBe(jwt));
  expect(localStorage.getItem('plant-store.token')).toBe(JSON.stringify(known));
});

it('offers only what the token of a link permits once it is accepted', async () => {
  signIn();
  const limited = createFakePlantStore({ baseUrl: location.origin, token: jwt, scopes: ['read'] });
  fetch.mockImplementation((url, init) =>
    (new Headers(init.headers).get('authorization') === `Bearer ${jwt}` ? limited : store).fetch(url, init),
  );
  onTestFinished(() => void fetch.mockImplementation(store.fetch));
  const user = open(jwt);
  await screen.findByText('test');
  expect(screen.getByRole('link', { name: 'Add plant' })).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Use the token from the link' }));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Add plant' })).toBeNull());
});

it('keeps the token of the tab when the identity provider does not sign the person in again', async () => {
  signIn();
  render(<App tokenFromAddress={undefined} signingIn={Promise.resolve('Sign-in failed: no.')} />);
  await screen.findByText('Sign-in failed: no. You are still signed in.');
  expect([keptToken(), plantsLink().isConnected]).toEqual([known, true]);
});

it('keeps the undo of a delete while another view is shown', async () => {
  history.replaceState(null, '', '/');
  await createClient(store).createPlant({ body: { id: 3, name: 'Rose' } });
  const user = open(known);
  await user.click(await screen.findByText('Rose'));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await user.click(screen.getByRole('link', { name: 'Import' }));
  await waitFor(() => expect(store.plants.get(3n)).toBeUndefined());
  act(() => history.back());
  await user.click(await screen.findByRole('button', { name: 'Undo', description: 'Deleted Rose, ID 3.' }));
  await screen.findByText('with a new Added time.');
  expect(store.plants.get(3n)).toEqual({ name: 'Rose' });
});

it('forgets the token with a button, and keeps what is being typed as the next one when that cancels a request', async () => {
  const user = open(known);
  expect(keptTokens()).toEqual(['plant-store.token']);
  await user.type(await nameField(), 'Rose');
  store.fail({ operation: 'createPlant', kind: 'delay', ms: 60_000 });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(creates()).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await signOut(user);
  expect(keptTokens()).toEqual([]);
  expect(screen.queryByRole('link', { name: /^All plants/ })).toBeNull();
  expect(document.activeElement).toBe(tokenField());
  await user.type(tokenField(), 'pst_');
  expect(creates()[0]?.[1].signal?.aborted).toBe(true);
  expect(tokenField().value).toBe('pst_');
  expect(tokenField().getAttribute('aria-invalid')).toBe('false');
  open();
  expect(tokenField().value).toBe('');
});

it('asks again when the service rejects the token, and keeps what was typed', async () => {
  const other = createFakePlantStore().token;
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  store.acceptTokens(other);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(describes(tokenField())).toContain('The access token is unknown.'));
  expect(document.activeElement).toBe(tokenField());
  expect(screen.queryByRole('link', { name: /^All plants/ })).toBeNull();
  expect(keptTokens()).toEqual([]);

  store.acceptTokens(known);
  await enterToken(user);
  expect((await nameField()).value).toBe('Rose');
  const listed = (await addSheet()).getByRole('listitem').textContent;
  expect(listed).toMatch(/^not added yet.*Rose.*token is unknown.*Try again/);
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByText(/^Stored: Rose/);
});

it('shows the view of the address, keeps what was typed, and shows a plant that was added', async () => {
  const user = open(known);
  await user.type(await nameField(), 'Rose');
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(location.pathname).toBe('/');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('link', { name: 'Import' }));
  expect(location.pathname).toBe('/import');
  await screen.findByRole('region', { name: 'Import' });
  await user.keyboard('n');
  expect([location.pathname, (await nameField()).value]).toEqual(['/add', 'Rose']);
  await user.keyboard('{Enter}');
  await screen.findByRole('row', { name: /^Rose/ });
  act(() => history.back());
  await screen.findByRole('link', { name: 'Import', current: 'page' });
});

/** Another tab of this page. */
function openOtherTab() {
  const channel = new BroadcastChannel('plant-store.forget');
  onTestFinished(() => channel.close());
  return channel;
}

it('remembers the token on the device only if asked to, and forgets it in all tabs', async () => {
  const user = open();
  expect(screen.getByLabelText<HTMLInputElement>('Remember on this device').checked).toBe(false);
  await user.click(screen.getByLabelText('Remember on this device'));
  await enterToken(user);
  await waitFor(() => expect(plantsLink()).toBeDefined());
  expect([keptTokens(), localStorage.getItem('plant-store.token')]).toEqual([[], JSON.stringify(known)]);

  open();
  expect(plantsLink()).toBeDefined();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  openOtherTab().onmessage = ({ data }) => resolve(data);
  await signOut(user);
  expect([keptTokens(), localStorage.length]).toEqual([[], 0]);
  expect(await promise).toEqual([known]);
});

it('forgets the token when another tab does, but not a different one', async () => {
  open(known);
  const other = openOtherTab();
  other.postMessage(['another']);
  other.postMessage([]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(plantsLink()).toBeDefined();
  other.postMessage(['another', known]);
  await waitFor(() => expect(tokenField()).toBeDefined());
  expect(keptTokens()).toEqual([]);
});

it('changes where the token is kept, and shows it to a phone', async () => {
  history.replaceState(null, '', '/');
  const user = open(known);
  await user.click(screen.getByRole('button', { name: 'Access' }));
  const remember = await screen.findByLabelText<HTMLInputElement>('Remember on this device');
  await user.click(remember);
  expect([keptTokens(), localStorage.length]).toEqual([[], 1]);
  await user.click(remember);
  expect([keptTokens(), localStorage.length]).toEqual([['plant-store.token'], 0]);
  expect(screen.queryByRole('img', { name: /QR code/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Show QR code' }));
  await screen.findByRole('img', { name: 'QR code that opens the page' });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'Access' }));
  expect(screen.queryByRole('img', { name: /QR code/ })).toBeNull();
});

it('offers to import several lines that are pasted as one name, and removes them from the name', async () => {
  const user = open(known);
  await user.type(await nameField(), 'Elm');
  await user.paste(' tree\n');
  expect(screen.queryByRole('button', { name: /Import these . lines instead/ })).toBeNull();
  await user.paste('Oak\r\nBeech\r\nBirch\r\n');
  await user.click(screen.getByRole('button', { name: 'Import these 3 lines instead' }));
  await screen.findByRole('heading', { name: 'Check the columns' });
  expect(location.pathname).toBe('/import');
  expect(screen.getByText('Birch')).toBeDefined();
  act(() => history.back());
  await waitFor(() => expect(location.pathname).toBe('/add'));
  expect((await nameField()).value).toBe('Elm tree');
  expect(screen.queryByRole('button', { name: /Import these . lines instead/ })).toBeNull();
});
