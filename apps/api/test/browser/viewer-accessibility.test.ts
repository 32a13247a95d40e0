import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { expectUsable } from './page/support/expect-usable.js';
import { setUp } from './page/support/set-up.js';
import { execute, giveToken, openDialog, openViewer, operation, tryOut } from './use-viewer.js';

const shared = setUp();

let page: Page;
beforeEach(async () => {
  ({ page } = await shared.openTab({ reducedMotion: 'reduce' }));
});

it('is usable before Swagger UI has started', async () => {
  // It is held back until the tab is closed.
  await page.route('**/swagger-ui-bundle-*', () => undefined);
  await page.goto(`${shared.store.baseUrl}/docs`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'POST /plants/batch Create plants' }).waitFor();
  await expectUsable(page, 'overview');
});

it('is usable with operations', async () => {
  await openViewer(page, shared.store);
  await expectUsable(page, 'operations');
  await operation(page, 'listPlants').locator('.opblock-summary-control').click();
  await operation(page, 'listPlants').getByRole('button', { name: 'Try it out' }).waitFor();
  await expectUsable(page, 'an operation');
  await tryOut(page, 'createPlant');
  await expectUsable(page, 'an operation to try, and another one');
});

it('is usable with the dialog, a reply and a schema', async () => {
  await openViewer(page, shared.store);
  await openDialog(page);
  await expectUsable(page, 'dialog');
  await giveToken(page, shared.store);
  await expectUsable(page, 'dialog with a token');
  await page.getByRole('button', { name: 'Close' }).first().click();
  const create = await tryOut(page, 'createPlant');
  await create.getByRole('textbox', { name: 'Request body' }).fill('{"id": 7, "name": "Monstera"}');
  expect(await execute(create)).toMatchObject({ status: '200' });
  await expectUsable(page, 'a reply');
  await page.getByRole('button', { name: 'Schemas' }).click();
  await page.locator('.models .json-schema-2020-12-accordion').first().click();
  await expectUsable(page, 'a schema');
});
