import { afterAll, beforeAll, expect, it } from 'vitest';
import { execute, giveToken, openDialog, openViewer, tryOut } from '../use-viewer.js';
import { addButton, chooseFile, readOutcome } from './support/import-page.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { startPrefixProxy } from './support/start-prefix-proxy.js';
import { addPlant, openImport } from './support/use-page.js';

const shared = setUp();
let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
beforeAll(async () => {
  proxy = await startPrefixProxy('/shop/', shared.store.baseUrl);
});
afterAll(() => proxy.stop());

/** Opens a path below the prefix; at the end all that it has loaded must be below it, and there. */
async function open(path: string) {
  const tab = await shared.openTab();
  const failed: string[] = [];
  tab.page.context().on('response', (reply) => {
    if (reply.status() >= 400) failed.push(`${reply.status()} ${reply.url()}`);
  });
  await tab.page.goto(`${proxy.origin}/shop/${path}`);
  return {
    ...tab,
    expectBelow() {
      const elsewhere = tab.requests.map((request) => request.url()).filter((url) => !url.includes('/shop/'));
      expect([elsewhere, failed, tab.violations]).toEqual([[], [], []]);
    },
  };
}

it('works under a prefix that a proxy strips, each view at its own address', async () => {
  const { page, expectBelow } = await open(`#token=${shared.store.token}`);
  await addPlant(page, { id: '1', name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  expect(new URL(page.url()).pathname).toBe('/shop/add');
  await openImport(page);
  expect(new URL(page.url()).pathname).toBe('/shop/import');
  await chooseFile(page, makePlantsFile(20, { faultyEvery: 10 }));
  await addButton(page).click();
  expect(await readOutcome(page)).toMatchObject({ stored: 18 });
  await page.goto(`${proxy.origin}/shop/p/1`);
  await page.getByRole('complementary').getByText('Monstera').first().waitFor();
  await page.reload();
  await page.getByRole('complementary').getByText('Monstera').first().waitFor();
  for (const view of ['import', 'add']) {
    await page.goto(`${proxy.origin}/shop/${view}`);
    await page.getByRole('link', { name: 'All plants', includeHidden: true }).waitFor();
  }
  const icon = await page.locator('.brand img').evaluate((image: HTMLImageElement) => image.naturalWidth);
  expect(icon).toBeGreaterThan(0);
  expectBelow();
});

it('shows the API, whose requests go below the prefix, too', async () => {
  const { page, expectBelow } = await open('docs');
  const store = { ...shared.store, baseUrl: `${proxy.origin}/shop` };
  await openViewer(page, store);
  for (const name of ['openapi.json', 'Add plants without a program', /^plant-store-client-/]) {
    const link = page.getByRole('link', { name }).first();
    const url = await link.evaluate((a: HTMLAnchorElement) => a.href);
    expect([(await page.request.get(url)).status(), url]).toEqual([200, expect.stringContaining('/shop/')]);
  }
  await openDialog(page);
  await giveToken(page, store);
  await page.locator('form').getByRole('button', { name: 'Close' }).click();
  expect((await execute(await tryOut(page, 'listTags'))).status).toBe('200');
  expectBelow();
});

it('leads from a wrong address, and from one of the API, to the page below the prefix', async () => {
  const { page, violations } = await open('');
  for (const path of ['whatever', 'plants', 'plants/7', 'a/b/c']) {
    await page.goto(`${proxy.origin}/shop/${path}`);
    const font = await page.locator('body').evaluate((body) => getComputedStyle(body).fontFamily);
    expect(font).toMatch(/^system-ui/);
    await page.getByRole('link', { name: 'Open the plant store' }).click();
    await page.getByRole('heading', { name: 'Your access token' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/shop/');
  }
  expect(violations).toEqual([]);
});
