import type { Page, Route } from 'playwright-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { expectUsable } from './support/expect-usable.js';
import { openTab, type Tab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';
import { startOidcProvider } from './support/start-oidc-provider.js';
import { addPlant, field, forgetToken } from './support/use-page.js';

const provider = await startOidcProvider();
afterAll(provider.stop);
const shared = setUp(provider.settings);

let tab: Tab;
let page: Page;
beforeEach(async () => {
  provider.lifetimeSeconds = 3_600;
  provider.grants.length = 0;
  provider.away = undefined;
  tab = await openTab(shared.browser);
  page = tab.page;
  return async () => {
    // Those of the provider's own pages are not ours.
    const violations = tab.violations.filter((violation) => violation.includes('connect-src'));
    await tab.close();
    expect(violations).toEqual([]);
  };
});

/** Signs in at the provider, by any name and password, and permits what the page asks for. */
async function signIn(name: string, of = page): Promise<void> {
  await answerProvider(name, of);
  await of.getByRole('link', { name: 'Plants' }).waitFor();
}

async function answerProvider(name: string, of = page): Promise<void> {
  await of.getByRole('button', { name: 'Sign in', exact: true }).click();
  await of.locator('input[name="login"]').fill(name);
  await of.locator('input[name="password"]').fill('any');
  await of.locator('button[type="submit"]').click();
  await of.waitForURL(/\/interaction\//);
  await of.locator('button[type="submit"]').click();
}

/** Waits until the token of a sign-in has expired, of 5 seconds, which the provider does not renew. */
async function letExpire(): Promise<void> {
  await page.route(`${provider.issuer}/token`, (route) =>
    route.fulfill({
      status: 400,
      headers: { 'access-control-allow-origin': '*', 'content-type': 'application/json' },
      body: '{"error":"invalid_grant"}',
    }),
  );
  await page.waitForTimeout(5_000);
}

/** Signs in again in a tab of its own, which closes. */
async function signInBeside(): Promise<void> {
  const again = page.getByRole('button', { name: 'Sign in', exact: true });
  await again.waitFor();
  await page.unroute(`${provider.issuer}/token`);
  provider.lifetimeSeconds = 3_600;
  const opening = page.context().waitForEvent('page');
  await again.click();
  const opened = await opening;
  const closed = opened.waitForEvent('close');
  // The provider still knows the person, and asks only whether the page may have a token.
  await opened.locator('button[type="submit"]').click();
  await page.getByRole('link', { name: 'All plants' }).waitFor();
  await closed;
}

/** The records of sign-ins that tabs share, as text. */
const readShared = () =>
  page.evaluate(async () => {
    const opening = indexedDB.open('plant-store');
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const reading = opening.result.transaction('sign-ins').objectStore('sign-ins').getAll();
    await new Promise((resolve) => reading.addEventListener('success', resolve));
    opening.result.close();
    return reading.result.map(({ data }: { data: ArrayBuffer }) => new TextDecoder().decode(data));
  });

const readKept = (place: 'sessionStorage' | 'localStorage') =>
  page.evaluate((name) => globalThis[name].getItem('plant-store.token'), place);

it('signs people in at the identity provider, returns to the view, and keeps the token in the tab', async () => {
  await page.goto(`${shared.store.baseUrl}/add?tag=bed`);
  await signIn('alice');
  expect(page.url()).toBe(`${shared.store.baseUrl}/add?tag=bed`);
  await addPlant(page, { id: '1', name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  expect(await readKept('sessionStorage')).toContain('shared');
  expect(await readKept('localStorage')).toBeNull();
  expect(await readShared()).toEqual([expect.not.stringContaining('token')]);
  await page.reload();
  await page.getByRole('link', { name: 'Plants' }).waitFor();
  expect(provider.grants).toEqual(['authorization_code granted']);
  const sent = tab.requests.filter((request) => request.url().startsWith(provider.issuer));
  for (const request of sent) expect(request.url()).not.toContain(shared.store.token);
});

it('remembers the sign-in on the device, and forgets it in all tabs, also at the identity provider', async () => {
  await page.goto(shared.store.baseUrl);
  await page.getByLabel('Remember on this device').check();
  await signIn('bob');
  const kept = await readKept('localStorage');
  expect(kept).toContain('shared');
  expect(await readKept('sessionStorage')).toBeNull();
  const other = await page.context().newPage();
  await other.goto(shared.store.baseUrl);
  await other.getByRole('link', { name: 'Plants' }).waitFor();
  const revoked = page.waitForResponse((reply) => reply.url().endsWith('/token/revocation'));
  await forgetToken(page);
  expect((await revoked).status()).toBe(200);
  for (const each of [page, other]) await each.getByRole('button', { name: 'Use token' }).waitFor();
  expect([await readKept('localStorage'), await readKept('sessionStorage')]).toEqual([null, null]);
  expect(await readShared()).toEqual([]);
});

it('keeps a tab signed in when somebody else signs in beside it, and is remembered in its place', async () => {
  await page.goto(shared.store.baseUrl);
  const other = await page.context().newPage();
  await other.goto(shared.store.baseUrl);
  for (const each of [page, other]) await each.getByLabel('Remember on this device').check();
  await signIn('grace');
  const kept = await readKept('localStorage');
  await page.context().clearCookies();
  await signIn('heidi', other);
  await until(async () => (await readKept('sessionStorage')) !== null);
  await page.reload();
  await page.getByRole('link', { name: 'Plants' }).waitFor();
  expect(await readKept('sessionStorage')).toBe(kept);
  expect(await readKept('localStorage')).not.toBe(kept);
  expect(await readShared()).toHaveLength(2);
});

it('stays signed in while the identity provider is away, says so, and works on afterwards', async () => {
  provider.lifetimeSeconds = 5;
  await page.goto(`${shared.store.baseUrl}/add`);
  await signIn('ivan');
  await field(page, 'Name').fill('Rose');
  provider.away = /./;
  const away = page.getByText('returned status 503. You are still signed in');
  await away.waitFor();
  await page.waitForTimeout(5_000);
  await page.keyboard.press('Enter');
  await page.locator('.side').waitFor({ state: 'detached' });
  await expectUsable(page, 'identity provider away');
  provider.away = undefined;
  await away.waitFor({ state: 'detached' });
  expect(await field(page, 'Name').inputValue()).toBe('Rose');
  await field(page, 'Name').press('Enter');
  await page.getByRole('listitem').getByText('stored').waitFor();
});

it('renews a token before it expires, in the view as it is', async () => {
  provider.lifetimeSeconds = 5;
  await page.goto(`${shared.store.baseUrl}/add`);
  await signIn('carol');
  const rejected: string[] = [];
  page.on('response', (reply) => {
    if (reply.status() === 401) rejected.push(reply.url());
  });
  const before = await readKept('sessionStorage');
  await field(page, 'Name').fill('Rose');
  await until(() => provider.grants.filter((grant) => grant === 'refresh_token granted').length >= 2);
  expect(await readKept('sessionStorage')).not.toBe(before);
  expect(rejected).toEqual([]);
  expect(await field(page, 'Name').inputValue()).toBe('Rose');
  await addPlant(page, { id: '2', name: 'Rose' });
  await page.getByRole('listitem').getByText('stored').waitFor();
});

it('asks for a sign-in when the service rejects each new token, and does not ask for more without end', async () => {
  await page.goto(shared.store.baseUrl);
  await signIn('kim');
  await page.route(`${shared.store.baseUrl}/**`, (route) => {
    const headers = route.request().headers();
    if (headers['authorization'] !== undefined) headers['authorization'] = 'Bearer a.b.c';
    return route.continue({ headers });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  const granted = provider.grants.length;
  expect(granted).toBeLessThan(40);
  await page.waitForTimeout(500);
  expect(provider.grants).toHaveLength(granted);
});

it('signs people in, until the token expires, where the browser keeps no database', async () => {
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
  await page.goto(shared.store.baseUrl);
  await signIn('judy');
  expect(await readKept('sessionStorage')).not.toContain('shared');
  await page.reload();
  await page.getByRole('link', { name: 'Plants' }).waitFor();
});

it('asks again when the identity provider does not renew the token, and what was typed stays', async () => {
  provider.lifetimeSeconds = 5;
  await page.goto(`${shared.store.baseUrl}/add`);
  await signIn('dave');
  const loadedAt = () => page.evaluate(() => performance.timeOrigin);
  const before = await loadedAt();
  await field(page, 'Name').fill('Rose');
  await letExpire();
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'has expired' }).waitFor();
  await signInBeside();
  expect(await field(page, 'Name').inputValue()).toBe('Rose');
  await field(page, 'Name').press('Enter');
  await page.getByRole('listitem').getByText('stored').waitFor();
  expect(await loadedAt()).toBe(before);
});

it('goes on with an import that waits for a sign-in, which needs a new tab, and shows where the browser opens none', async () => {
  provider.lifetimeSeconds = 5;
  await page.goto(`${shared.store.baseUrl}/import`);
  await signIn('erin');
  await page.getByRole('textbox', { name: 'Rows from a spreadsheet' }).fill('id,name\n81,Oak\n82,Elm');
  await page.getByRole('button', { name: 'Read lines' }).click();
  await letExpire();
  await page.getByRole('button', { name: 'Add 2 plants' }).click();
  await page.evaluate(() => {
    const { open } = window;
    window.open = () => {
      window.open = open;
      return null;
    };
  });
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Your browser blocked the sign-in tab.').waitFor();
  expect(shared.store.readPlants().filter(({ name }) => name === 'Oak')).toEqual([]);
  await signInBeside();
  await page.getByRole('heading', { name: '2 plants added' }).waitFor();
  expect(shared.store.readPlants().filter(({ id }) => id === '81' || id === '82')).toHaveLength(2);
});

it('takes no token whose nonce is not that of the tab', async () => {
  const changeNonce = (route: Route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('nonce', 'other');
    return route.continue({ url: url.href });
  };
  await page.route(`${provider.issuer}/auth?**`, changeNonce, { times: 1 });
  await page.goto(shared.store.baseUrl);
  await answerProvider('frank');
  await page.getByText(/^Sign-in failed: .*nonce/).waitFor();
  expect(provider.grants).toEqual(['authorization_code granted']);
  expect([await readKept('sessionStorage'), await readKept('localStorage')]).toEqual([null, null]);
});

/** Lets the identity provider send the person back at once, with a code that it has not issued, and with changes. */
async function replyWith(changes: Readonly<Record<string, string>>): Promise<void> {
  await page.route(`${provider.issuer}/auth?**`, (route) => {
    const state = new URL(route.request().url()).searchParams.get('state') ?? '';
    const reply = new URLSearchParams({ code: 'a', state, iss: provider.issuer, ...changes });
    return route.fulfill({ status: 302, headers: { location: `${shared.store.baseUrl}/?${reply}` } });
  });
  await page.goto(shared.store.baseUrl);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(/^Sign-in failed/).waitFor();
  expect(page.url()).toBe(`${shared.store.baseUrl}/`);
  expect(await readKept('sessionStorage')).toBeNull();
  await page.unroute(`${provider.issuer}/auth?**`);
}

it('takes no reply that is not to what the tab has asked for, or of another issuer', async () => {
  await page.goto(`${shared.store.baseUrl}/?code=a&state=b`);
  await page.getByText(/^Sign-in failed/).waitFor();
  await replyWith({ state: 'other' });
  await replyWith({ iss: 'https://other.example.com' });
  expect(provider.grants).toEqual([]);
  // The code alone is wrong.
  await replyWith({});
  expect(provider.grants).toEqual(['authorization_code invalid_grant']);
});

it('shows that the sign-in was cancelled', async () => {
  await page.goto(shared.store.baseUrl);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: /Cancel/ }).click();
  await page.getByText('it was canceled').waitFor();
  await expectUsable(page, 'cancelled sign-in');
  expect(new URL(page.url()).search).toBe('');
});
