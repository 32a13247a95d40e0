import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { addButton, chooseFile, readOutcome } from './support/import-page.js';
import { openTab, type Tab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { addPlant, forgetToken, openAccess, openImport, useLink } from './support/use-page.js';

const shared = setUp({ LOG_LEVEL: 'trace' });
let tab: Tab;
let page: Page;
beforeAll(async () => {
  tab = await openTab(shared.browser);
  page = tab.page;
  await page.goto(shared.store.address);
  await addPlant(page, { id: '1', name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  await addPlant(page, { id: '1', name: 'Ficus' });
  await page.getByRole('listitem').getByText('rejected').waitFor();
  await openImport(page);
  await chooseFile(page, makePlantsFile(20, { faultyEvery: 10 }));
  await addButton(page).click();
  await readOutcome(page);
});

/** Everything that the profile keeps for a page, by where it is. */
async function readStorage(of = page): Promise<Readonly<Record<string, string>>> {
  const kept = await of.evaluate(async () => ({
    localStorage: JSON.stringify(localStorage),
    sessionStorage: JSON.stringify(sessionStorage),
    databases: JSON.stringify(await indexedDB.databases()),
    caches: JSON.stringify(await caches.keys()),
    cookies: document.cookie,
    windowName: window.name,
    historyState: JSON.stringify(history.state),
    referrer: document.referrer,
    address: location.href,
    performance: JSON.stringify(performance.getEntries()),
    document: document.documentElement.outerHTML,
    fields: [...document.querySelectorAll('input, textarea')]
      .map((element) => (element as HTMLInputElement).value)
      .join('\n'),
  }));
  return { ...kept, profileCookies: JSON.stringify(await of.context().cookies()) };
}

const secret = () => shared.store.token.slice('pst_'.length, -6);
const placesOf = (kept: Readonly<Record<string, string>>, part = secret()) =>
  Object.entries(kept).flatMap(([place, text]) => (text.includes(part) ? [place] : []));

it('keeps the token in the storage of the tab alone', async () => {
  expect(placesOf(await readStorage())).toEqual(['sessionStorage']);
  const keys = await page.evaluate(() =>
    Object.entries(sessionStorage as Record<string, string>).map(([key, value]) => ({ key, value })),
  );
  expect(keys.filter(({ value }) => value.includes(secret()))).toHaveLength(1);
});

it('sends it in the header Authorization of its own requests to the service and nowhere else', async () => {
  const places = new Set<string>();
  for (const request of tab.requests) {
    const url = new URL(request.url());
    // The address that was opened; a browser sends no fragment.
    const isOpened = request.isNavigationRequest() && request.url() === shared.store.address;
    if (!isOpened && request.url().includes(secret())) places.add(`URL ${request.url()}`);
    if (request.postData()?.includes(secret())) places.add(`body of ${url.pathname}`);
    for (const [name, value] of Object.entries(await request.allHeaders()))
      if (value.includes(secret())) places.add(`${name} of ${request.method()} ${url.pathname}`);
  }
  expect([...places].sort()).toEqual([
    'authorization of GET /changes',
    'authorization of GET /plants',
    'authorization of GET /plants/1',
    'authorization of GET /tags',
    'authorization of GET /tokens/self',
    'authorization of POST /plants',
    'authorization of POST /plants/batch',
    'authorization of POST /plants/batch/get',
  ]);
  // Chromium reports an empty one of the navigation that leaves out the token, and sends none.
  for (const request of tab.requests) expect((await request.headerValue('referer')) || null).toBeNull();
});

it('logs it nowhere: neither in the console, nor in errors, nor in reports of the policy', () => {
  const logged = [...tab.messages, ...tab.violations].join('\n');
  expect(logged).not.toContain(secret());
});

it('reaches no log and no file of the service but its own file', () => {
  // The address is printed for the person who started it, by design, and is no log record.
  const records = shared.store.output.split('\n').filter((line) => line.startsWith('{'));
  expect(records.length).toBeGreaterThan(10);
  expect(records.join('\n')).not.toContain(secret());
  const { data } = shared.store;
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
  expect(files).toContain('plant-store.db');
  expect(files.filter((name) => readFileSync(join(data, name)).includes(secret()))).toEqual(['access-token']);
});

it('is gone from everywhere once it is forgotten, also after a reload', async () => {
  await forgetToken(page);
  for (const reload of [() => page.reload(), () => undefined]) {
    await page.getByRole('button', { name: 'Use token' }).waitFor();
    expect(placesOf(await readStorage())).toEqual([]);
    await reload();
  }
});

it('asks before a link replaces the token that it has, and keeps the other one nowhere until that is accepted', async () => {
  const { page: opened } = await shared.openTab();
  const { address, baseUrl, token } = shared.store;
  await opened.goto(address);
  await opened.getByRole('link', { name: 'Plants' }).waitFor();
  const other = await shared.store.issueToken('read');
  const placesOfOther = async () => placesOf(await readStorage(opened), other.slice('pst_'.length));
  const sheet = opened.getByRole('dialog', { name: 'Use the access token from this link?' });
  for (const key of ['Enter', 'Escape']) {
    await opened.goto(`${baseUrl}/#token=${other}`);
    await sheet.getByText('You are signed in as quickstart').waitFor();
    const stay = sheet.getByRole('button', { name: 'Stay signed in' });
    expect(await stay.evaluate((node) => node === document.activeElement)).toBe(true);
    // Until the document is left, Chromium has there the address of a navigation that loads none.
    const places = (await placesOfOther()).filter((place) => place !== 'performance');
    expect([places, opened.url()]).toEqual([[], `${baseUrl}/`]);
    await opened.keyboard.press(key);
    await sheet.waitFor({ state: 'hidden' });
    await opened.reload();
    await opened.getByRole('link', { name: 'Plants' }).waitFor();
    expect([await placesOfOther(), await sheet.count()]).toEqual([[], 0]);
  }
  await useLink(opened, `${baseUrl}/#token=${other}`);
  await sheet.waitFor({ state: 'hidden' });
  await opened.getByRole('link', { name: 'Add plant' }).waitFor({ state: 'hidden' });
  expect(placesOf(await readStorage(opened), token.slice('pst_'.length))).toEqual([]);
});

it('shows a token that it creates or rotates until it is kept, and keeps it nowhere; what is revoked works no more', async () => {
  const other = await shared.openTab();
  const admin = other.page;
  await admin.goto(`${shared.store.baseUrl}/#token=${await shared.store.issueToken('read,admin')}`);
  await openAccess(admin);
  await admin.getByRole('button', { name: 'Manage tokens' }).click();
  const sheet = admin.getByRole('dialog', { name: 'Tokens' });
  /** The one that is shown, which is gone once it is kept, and permits to read. */
  const takeNew = async () => {
    const text = (await sheet.locator('code').textContent()) ?? '';
    expect(await statusOf(text)).toBe(200);
    const part = text.slice('pst_'.length, -6);
    expect(placesOf(await readStorage(admin), part)).toEqual(['document']);
    await sheet.getByRole('button', { name: 'I saved it' }).click();
    await admin.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    expect(placesOf(await readStorage(admin), part)).toEqual([]);
    const reports = [...other.messages, ...other.violations, shared.store.output].join('\n');
    expect(reports).not.toContain(part);
    await openAccess(admin);
    await admin.getByRole('button', { name: 'Manage tokens' }).click();
    return text;
  };
  const statusOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${shared.store.baseUrl}/plants`, { headers })).status;
  };
  await sheet.getByText('Create a token').click();
  await sheet.getByLabel('Token name').fill('web shop');
  expect(await sheet.getByRole('checkbox').count()).toBe(2);
  await sheet.getByLabel('See plants').check();
  await sheet.getByRole('button', { name: 'Create token' }).click();
  await sheet.getByText('Copy the token now').waitFor();
  const first = await takeNew();
  const rotate = sheet.getByRole('button', { name: /^Rotate ?: web shop/ });
  await rotate.first().click();
  await sheet.getByRole('button', { name: /^Rotate: the old token/ }).click();
  await sheet.getByText('Copy the token now').waitFor();
  const second = await takeNew();
  expect(await statusOf(first)).toBe(200);
  const revoke = sheet.getByRole('button', { name: /^Revoke.*: web shop/ });
  for (const left of [2, 1]) {
    expect(await revoke.count()).toBe(left);
    await revoke.first().click();
    await revoke.first().click();
    const revoked = sheet.getByText('revoked').nth(2 - left);
    await revoked.waitFor();
  }
  for (const token of [first, second]) await until(async () => (await statusOf(token)) === 401, 200);
});
