import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { openApp, serve, token } from '../../test/open-page.js';

/** Opens the page with a token that has these scopes. */
async function open(scopes: readonly Scope[]) {
  const store = createFakePlantStore({ baseUrl: location.origin, token, scopes });
  serve(store);
  history.replaceState(null, '', '/');
  return { user: openApp(token), store, client: createClient(store) };
}

async function showTokens(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'Access' }));
  await user.click(await screen.findByRole('button', { name: 'Manage tokens' }));
}

/** Also opens the sheet. */
async function openTokens(scopes: readonly Scope[] = ['read', 'create', 'admin']) {
  const opened = await open(scopes);
  await showTokens(opened.user);
  await opened.user.click(await screen.findByText('Create a token'));
  const first = await screen.findByRole('textbox', { name: 'Token name' });
  await waitFor(() => expect(document.activeElement).toBe(first));
  const dialog = screen.getByRole('dialog', { name: 'Tokens' });
  const row = async (name: string) => {
    const item = (await within(dialog).findAllByText(name)).find((text) => text.closest('li'))?.closest('li');
    if (!item) throw new Error(`There is no token ${name}`);
    return item;
  };
  return { ...opened, dialog, row };
}

/** The text of a new token that is shown. */
const shownSecret = () => screen.queryByText(/^pst_/)?.textContent ?? undefined;

it('is only offered to a token that may manage tokens', async () => {
  for (const scopes of [['read', 'create', 'update', 'delete'], allScopes] as const) {
    const { user } = await open(scopes);
    await waitFor(() => expect(screen.queryByText(/^Loading/)).toBeNull());
    await user.click(await screen.findByRole('button', { name: 'Access' }));
    await screen.findByRole('button', { name: 'Sign out' });
    const isOffered = screen.queryByRole('button', { name: 'Manage tokens' }) !== null;
    expect(isOffered).toBe(scopes.length === 5);
  }
});

it('creates a token with no more than its own scopes, shows its text until that is kept, and stores it nowhere', async () => {
  const { user, client, store, dialog, row } = await openTokens();
  const boxes = within(dialog).getAllByRole('checkbox');
  expect(boxes.map((box) => box.closest('div')?.textContent)).toEqual([
    'See plants',
    'Add plants',
    'Manage tokens',
  ]);
  await user.type(screen.getByRole('textbox', { name: 'Token name' }), 'shop');
  await user.click(screen.getByRole('checkbox', { name: 'Add plants' }));
  await user.type(screen.getByLabelText('Expiration date'), '2999-12-31');
  await user.type(screen.getByRole('spinbutton', { name: 'Requests per minute' }), '600');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await waitFor(() => expect(shownSecret()).toMatch(/^pst_\w{49}$/));
  const secret = shownSecret() ?? '';
  const own = await createClient({ ...store, token: secret }).getOwnToken();
  expect(own.body).toMatchObject({ name: 'shop', scopes: ['create'], ratePerMinute: 600 });
  await waitFor(async () =>
    expect((await row('shop')).textContent).toMatch(
      /Add plants · ID 2, created .* · expires .*2999.* · 600 req/,
    ),
  );
  const kept = [JSON.stringify(history.state), location.href, ...[localStorage, sessionStorage].map(textOf)];
  for (const text of kept) expect(text).not.toContain(secret);
  expect(screen.getByRole('button', { name: 'Copy the token' })).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Show QR code' }));
  await screen.findByRole('img', { name: 'QR code that opens the page with the new token' });
  const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await showTokens(user);
  expect([shownSecret(), closes()]).toEqual([secret, false]);
  await user.click(within(dialog).getByRole('button', { name: 'I saved it' }));
  expect([shownSecret(), closes()]).toEqual([undefined, true]);
  expect(await client.listTokens()).toMatchObject({ body: { tokens: [{ id: 1n }, { id: 2n }] } });
});

it("continues with the new token after the page's token was rotated", async () => {
  const { user, client, dialog } = await openTokens();
  const { body } = await client.createToken({ body: { name: 'page', scopes: ['read', 'admin'] } });
  // Another token with a name that looks the same.
  await client.createToken({ body: { name: 'pa\u200dge\u202e', scopes: ['read'] } });
  location.hash = `#token=${'secret' in body ? body.secret : ''}`;
  const button = (name: string) => screen.findByRole('button', { name });
  await user.click(await button('Use the token from the link'));
  await waitFor(() => expect(dialog.isConnected).toBe(false));
  await button('Revoke: pa\\u200dge\\u202e');
  await user.click(await button('Rotate: page'));
  await user.click(await button('Rotate: the old token works for one more hour: page'));
  await waitFor(() => expect(JSON.stringify({ ...sessionStorage })).toContain(shownSecret() ?? 'none'));
  const own = await screen.findAllByText('(this page)');
  await waitFor(() =>
    expect(own.map((text) => text.closest('li')?.textContent)).toEqual([expect.stringContaining('ID 4,')]),
  );
});

it('says that it is unknown whether the token was created if no reply came', async () => {
  const { user, store } = await openTokens();
  await user.type(screen.getByRole('textbox', { name: 'Token name' }), 'shop');
  await user.click(screen.getByRole('checkbox', { name: 'See plants' }));
  store.fail({ operation: 'createToken', kind: 'drop', stored: true });
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByText(/The token may have been created. Check the list\.$/);
  await waitFor(() => expect(screen.getAllByText('shop')).toHaveLength(1));
  expect(shownSecret()).toBeUndefined();
});

const textOf = (storage: Storage) => JSON.stringify({ ...storage });
