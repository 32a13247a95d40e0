import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { openTab, type Tab } from './page/support/open-tab.js';
import { setUp } from './page/support/set-up.js';
import { execute, giveToken, openDialog, openViewer, operation, tryOut } from './use-viewer.js';

// Guards upgrades of swagger-ui-dist: the components and functions that viewer/plugin.ts wraps, and the classes in viewer.css, are
// not documented.

const shared = setUp();

let tab: Tab;
let page: Page;
beforeEach(async () => {
  tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
  page = tab.page;
  return async () => {
    const origins = new Set(tab.requests.map((request) => new URL(request.url()).origin));
    // The icon and the arrows are data: URLs, which are of no origin.
    origins.delete('null');
    const { messages, violations } = tab;
    await tab.close();
    expect([messages, violations, [...origins]]).toEqual([[], [], [shared.store.baseUrl]]);
  };
});

/** Gives the token. */
async function authorize(): Promise<void> {
  await openDialog(page);
  await giveToken(page, shared.store);
  await page.locator('form').getByRole('button', { name: 'Close' }).click();
}

it('sends and shows every digit of an id', async () => {
  await openViewer(page, shared.store);
  await authorize();
  const ids = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];
  const plants = ids.map((id) => `{"id":${id},"name":"Monstera"}`);
  const create = await tryOut(page, 'createPlants');
  await create.getByRole('textbox', { name: 'Request body' }).fill(`{"plants":[${plants}]}`);
  expect(await execute(create)).toMatchObject({ status: '200' });
  expect(shared.store.readPlants().map(({ id }) => id)).toEqual(expect.arrayContaining(ids));

  const read = await tryOut(page, 'getPlant');
  await read.getByLabel('id', { exact: true }).fill(ids[2] ?? '');
  const { status, body } = await execute(read);
  expect(status).toBe('200');
  expect(body).toContain(`{"id":${ids[2]},"idText":"${ids[2]}","name":"Monstera",`);

  const listed = await execute(await tryOut(page, 'listPlants'));
  for (const id of ids) expect(listed.body).toContain(`"id":${id},`);
});

it('starts with requests that work as they are: create, get, update, list, delete', async () => {
  await openViewer(page, shared.store);
  await authorize();
  const bodies: string[] = [];
  for (const name of ['createPlant', 'getPlant', 'updatePlant', 'listPlants', 'deletePlant']) {
    const { status, body } = await execute(await tryOut(page, name));
    expect([name, status]).toEqual([name, name === 'deletePlant' ? '204' : '200']);
    bodies.push(body);
  }
  expect(bodies[1]).toContain('"name":"Monstera deliciosa"');
  expect(bodies[2]).toContain('"name":"Monstera adansonii"');
});

it('leads from the overview to an operation, once Swagger UI has started', async () => {
  // It is held back until the end of the test.
  const held = Promise.withResolvers<void>();
  await page.route('**/swagger-ui-bundle-*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${shared.store.baseUrl}/docs`, { waitUntil: 'commit' });
  const link = page.getByRole('link', { name: 'POST /plants/batch Create plants' });
  await link.waitFor();
  await link.click();
  held.resolve();
  await operation(page, 'createPlants').getByRole('button', { name: 'Try it out' }).waitFor();
  expect(await page.locator('#overview').count()).toBe(0);
});

it('moves nothing when Swagger UI takes the place of the overview, and offers no token to a tab without one', async () => {
  await openViewer(page, shared.store);
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))));
  expect(tab.layoutShift).toBeLessThan(0.001);
  expect(await page.getByRole('button', { name: 'Use the token of this tab' }).count()).toBe(0);
});

it('is dark where the person prefers that, also once that changes', async () => {
  const readColors = () =>
    page.evaluate(() => ({
      background: getComputedStyle(document.body).backgroundColor,
      isDark: document.documentElement.classList.contains('dark-mode'),
    }));
  await page.emulateMedia({ colorScheme: 'dark' });
  await openViewer(page, shared.store);
  await expect.poll(readColors).toEqual({ background: 'rgb(28, 32, 34)', isDark: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(readColors).toEqual({ background: 'rgb(255, 255, 255)', isDark: false });
});

it('offers the token of the page that was in this tab, and keeps it nowhere else', async () => {
  await page.goto(shared.store.address);
  await page.getByRole('button', { name: 'Access' }).click();
  await page.getByRole('link', { name: 'API for developers' }).click();
  await operation(page, 'createPlant').waitFor();
  const use = page.getByRole('button', { name: 'Use the token of this tab' });
  await use.waitFor();
  const read = await tryOut(page, 'getPlant');
  await read.getByLabel('id', { exact: true }).fill('1');
  expect((await execute(read)).status).toBe('401');
  await use.click();
  await use.waitFor({ state: 'detached' });
  const create = await tryOut(page, 'createPlant');
  await create.getByRole('textbox', { name: 'Request body' }).fill('{"id": 8, "name": "Ivy"}');
  expect((await execute(create)).status).toBe('200');
  expect(page.url()).not.toContain(shared.store.token);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe('{}');
  expect(tab.requests.filter((request) => request.url().includes(shared.store.token))).toEqual([]);
  // What the browser reports of the reply 401, which was caused on purpose.
  tab.forget();
  await page.reload();
});
