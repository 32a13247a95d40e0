import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { expectUsable } from './page/support/expect-usable.js';
import { openTab, type Tab } from './page/support/open-tab.js';
import { setUp } from './page/support/set-up.js';

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
    expect({ messages, violations, origins: [...origins] }).toEqual({
      messages: [],
      violations: [],
      origins: [shared.store.baseUrl],
    });
  };
});

/** Opens the viewer, and waits until Swagger UI shows the operations. */
async function openViewer(): Promise<void> {
  await page.goto(`${shared.store.baseUrl}/docs`);
  await operation('createPlant').waitFor();
}

function operation(operationId: string): Locator {
  return page.locator(`#operations-plants-${operationId}`);
}

/** Opens an operation, so that it can be sent. */
async function tryOut(operationId: string): Promise<Locator> {
  const opened = operation(operationId);
  await opened.locator('.opblock-summary-control').click();
  await opened.getByRole('button', { name: 'Try it out' }).click();
  return opened;
}

/** Sends an operation, and returns the status and the body of the reply as they are shown. */
async function execute(opened: Locator): Promise<{ readonly status: string; readonly body: string }> {
  await opened.getByRole('button', { name: 'Execute' }).click();
  const reply = opened.locator('.live-responses-table tbody');
  await reply.waitFor();
  const status = (await reply.locator('.response-col_status').textContent()) ?? '';
  const bodies = await reply.locator('.highlight-code pre').allInnerTexts();
  return { status: status.trim(), body: bodies.join('') };
}

/** Gives the token in the dialog. */
async function authorize(): Promise<void> {
  await page.locator('.authorization').getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('Token', { exact: true }).fill(shared.store.token);
  await page.locator('form').getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('A token is in use').waitFor();
  await page.locator('form').getByRole('button', { name: 'Close' }).click();
}

it('sends and shows every digit of an id', async () => {
  await openViewer();
  await authorize();
  const ids = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];
  const plants = ids.map((id) => `{"id":${id},"name":"Monstera"}`);
  const create = await tryOut('createPlants');
  await create.getByRole('textbox', { name: 'Request body' }).fill(`{"plants":[${plants}]}`);
  expect(await execute(create)).toMatchObject({ status: '200' });
  expect(shared.store.readPlants().map(({ id }) => id)).toEqual(expect.arrayContaining(ids));

  const read = await tryOut('getPlant');
  await read.getByLabel('id', { exact: true }).fill(ids[2] ?? '');
  const { status, body } = await execute(read);
  expect(status).toBe('200');
  expect(body).toContain(`{"id":${ids[2]},"idText":"${ids[2]}","name":"Monstera",`);

  const listed = await execute(await tryOut('listPlants'));
  for (const id of ids) expect(listed.body).toContain(`"id":${id},`);
});

it('sends one plant as it was typed, and deletes exactly that', async () => {
  await openViewer();
  await authorize();
  const create = await tryOut('createPlant');
  await create
    .getByRole('textbox', { name: 'Request body' })
    .fill('{"id": 9223372036854775806, "name": "Oak"}');
  expect(await execute(create)).toEqual({ status: '200', body: '{"name":"Oak"}' });
  expect(shared.store.readPlants()).toContainEqual({ id: '9223372036854775806', name: 'Oak', tag: null });

  const remove = await tryOut('deletePlant');
  await remove.getByLabel('id', { exact: true }).fill('9223372036854775806');
  expect((await execute(remove)).status).toBe('204');
  expect((await shared.store.send('/plants/9223372036854775806')).status).toBe(404);
});

it('is usable before Swagger UI has started', async () => {
  // It is held back until the end of the test.
  const held = Promise.withResolvers<void>();
  await page.route('**/swagger-ui-bundle-*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${shared.store.baseUrl}/docs`, { waitUntil: 'commit' });
  const link = page.getByRole('link', { name: 'POST /plants/batch' });
  await link.waitFor();
  await expectUsable(page, 'overview');
  await link.click();
  held.resolve();
  await operation('createPlants').getByRole('button', { name: 'Try it out' }).waitFor();
  expect(await page.locator('#overview').count()).toBe(0);
});

it('is usable with operations, of which nothing moves when Swagger UI takes the place of the overview', async () => {
  await openViewer();
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))));
  expect(tab.layoutShift).toBeLessThan(0.001);
  await expectUsable(page, 'operations');
  await operation('listPlants').locator('.opblock-summary-control').click();
  await operation('listPlants').getByRole('button', { name: 'Try it out' }).waitFor();
  await expectUsable(page, 'an operation');
  await tryOut('createPlant');
  await expectUsable(page, 'an operation to try, and another one');
});

it('is usable with the dialog, a reply and a schema, and offers no token to a tab without one', async () => {
  await openViewer();
  expect(await page.getByRole('button', { name: 'Use the token of this tab' }).count()).toBe(0);
  await page.locator('.authorization').getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor();
  await expectUsable(page, 'dialog');
  await page.getByLabel('Token', { exact: true }).fill(shared.store.token);
  await page.locator('form').getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('A token is in use').waitFor();
  await expectUsable(page, 'dialog with a token');
  await page.getByRole('button', { name: 'Close' }).first().click();
  const create = await tryOut('createPlant');
  await create.getByRole('textbox', { name: 'Request body' }).fill('{"id": 7, "name": "Monstera"}');
  expect(await execute(create)).toMatchObject({ status: '200' });
  await expectUsable(page, 'a reply');
  await page.getByRole('button', { name: 'Schemas' }).click();
  await page.locator('.models .json-schema-2020-12-accordion').first().click();
  await expectUsable(page, 'a schema');
});

it('is dark where the person prefers that, also once that changes', async () => {
  const readColors = () =>
    page.evaluate(() => ({
      background: getComputedStyle(document.body).backgroundColor,
      isDark: document.documentElement.classList.contains('dark-mode'),
    }));
  await page.emulateMedia({ colorScheme: 'dark' });
  await openViewer();
  await expect.poll(readColors).toEqual({ background: 'rgb(28, 32, 34)', isDark: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(readColors).toEqual({ background: 'rgb(255, 255, 255)', isDark: false });
});

it('offers the token of the page that was in this tab, and keeps it nowhere else', async () => {
  await page.goto(shared.store.address);
  await page.getByRole('link', { name: 'API for developers' }).click();
  await operation('createPlant').waitFor();
  const use = page.getByRole('button', { name: 'Use the token of this tab' });
  await use.waitFor();
  const read = await tryOut('getPlant');
  await read.getByLabel('id', { exact: true }).fill('1');
  expect((await execute(read)).status).toBe('401');
  await use.click();
  await use.waitFor({ state: 'detached' });
  const create = await tryOut('createPlant');
  await create.getByRole('textbox', { name: 'Request body' }).fill('{"id": 8, "name": "Ivy"}');
  expect((await execute(create)).status).toBe('200');
  expect(page.url()).not.toContain(shared.store.token);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe('{}');
  expect(tab.requests.filter((request) => request.url().includes(shared.store.token))).toEqual([]);
  // What the browser reports of the reply 401, which was caused on purpose.
  tab.forget();
  await page.reload();
});
