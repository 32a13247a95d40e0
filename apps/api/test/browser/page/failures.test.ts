import { errors } from '@plant-store/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { addButton, chooseFile, progressOf, readOutcome } from './support/import-page.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUpBrowser } from './support/set-up.js';
import { type PlantStore, startPlantStore } from './support/start-plant-store.js';
import { addPlant, field, openImport } from './support/use-page.js';

/** So large that its run is not over before the network is away. */
const file = makePlantsFile(60_000, { faultyEvery: 20_000 });
const count = file.plants.length;

const browser = setUpBrowser();

let store: PlantStore;
let page: Page;
beforeEach(async () => {
  store = await startPlantStore();
  const tab = await openTab(browser());
  page = tab.page;
  await page.goto(store.address);
  return async () => {
    await tab.close();
    await store.stop();
  };
});

/** Starts a run, and resolves while it is in the middle. */
async function startRun(): Promise<void> {
  await openImport(page);
  await chooseFile(page, file);
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
}

/** Revokes the token of the page and returns another one; resolves once the service rejects the first. */
async function replaceToken(): Promise<string> {
  const [id = ''] = store.run('token', 'list').trim().split(/\s+/);
  const other = store.run('token', 'create', '--name', 'other').trim();
  store.run('token', 'revoke', id);
  const headers = { Authorization: `Bearer ${store.token}`, 'Content-Type': 'application/json' };
  const send = () => fetch(`${store.baseUrl}/plants`, { method: 'POST', headers, body: '{}' });
  await until(async () => (await send()).status === 401, 500);
  return other;
}

/** The button of the form, beside which the problem is shown. */
function tryAgain(page: Page): Locator {
  return page.locator('form').getByRole('button', { name: 'Try again' });
}

async function enterToken(token: string): Promise<void> {
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Use token' }).click();
}

it('asks for another token when one is revoked, and loses nothing typed', async () => {
  const other = await replaceToken();
  await addPlant(page, { id: '7', name: 'Monstera' });
  await enterToken(other);
  expect(await field(page, 'Id').inputValue()).toBe('7');
  expect(await field(page, 'Name').inputValue()).toBe('Monstera');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('listitem').getByText('stored').waitFor();
});

it('offers to try again what it could not send, and adds it once the network is back', async () => {
  const schema = page.waitForResponse(/plant-schema.*\.js$/);
  await page.getByRole('link', { name: 'Add a plant' }).click();
  await (await schema).finished();
  await page.context().setOffline(true);
  await addPlant(page, { id: '7', name: 'Monstera' });
  await tryAgain(page).waitFor();
  await page.getByRole('listitem').getByText('not confirmed').waitFor();
  await page.context().setOffline(false);
  await tryAgain(page).click();
  await page.getByRole('listitem').getByText('stored').waitFor();
  expect(store.readPlants()).toEqual([{ id: '7', name: 'Monstera', tag: null }]);
});

it('shows that the service is overloaded, and adds the plant at the next try', async () => {
  const creates = /\/plants$/;
  await page.route(creates, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/json',
      body: JSON.stringify({ error: errors.overloaded.error, message: errors.overloaded.example }),
    }),
  );
  await addPlant(page, { id: '7', name: 'Monstera' });
  await page
    .getByRole('alert')
    .getByText(/more to do than it can take/)
    .waitFor();
  await page.unroute(creates);
  await tryAgain(page).click();
  await page.getByRole('listitem').getByText('stored').waitFor();
});

it('interrupts a run while the network is away, and then goes on', async () => {
  await startRun();
  await page.context().setOffline(true);
  await page.getByRole('heading', { name: 'Interrupted' }).waitFor();
  await page.context().setOffline(false);
  const outcome = await readOutcome(page);
  expect(outcome).toMatchObject({ rejected: 0, skipped: 3 });
  expect(outcome.stored + outcome.replayed).toBe(count);
  expect(store.readPlants()).toHaveLength(count);
});

it('asks for a reload when a part of the page is gone after an upgrade, and keeps what was typed', async () => {
  await page.getByRole('link', { name: 'Add a plant' }).click();
  await field(page, 'Name').fill('Monstera');
  await page.keyboard.press('Escape');
  await page.route(/\/assets\/import.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  await openImport(page);
  await page
    .getByText(/reload/i)
    .first()
    .waitFor();
  await page.unroute(/\/assets\/import.*\.js$/);
  await page.goto(`${store.baseUrl}/add`);
  expect(await field(page, 'Name').inputValue()).toBe('Monstera');
});
