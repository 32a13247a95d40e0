import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../test/browser/launch-chromium.js';
import { addButton, chooseSource, readOutcome } from '../../test/browser/page/support/import-page.js';
import { openTab } from '../../test/browser/page/support/open-tab.js';
import { makePlantsFile } from '../../test/browser/page/support/plants-file.js';
import { startPlantStore } from '../../test/browser/page/support/start-plant-store.js';
import { addPlant, openImport } from '../../test/browser/page/support/use-page.js';

/** Writes the pictures of docs/use/page.md to `docs/use/images/`: `pnpm --filter @plant-store/api run screenshots`. */
const folder = fileURLToPath(new URL('../../../../docs/use/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const desktop = { viewport: { width: 1100, height: 820 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };

const browser = await launchChromium();
const store = await startPlantStore();
try {
  await fill();
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await page.getByRole('row', { name: /^Monstera adansonii/ }).waitFor();
    await shoot(page, 'plants-light');
    await page.getByRole('row', { name: /^Monstera adansonii/ }).click();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await shoot(page, 'plant');
  });
  await onTab({ ...desktop, colorScheme: 'dark' }, async (page) => {
    await page.getByRole('row', { name: /^Monstera adansonii/ }).waitFor();
    await shoot(page, 'plants-dark');
  });
  await onTab({ ...phone, colorScheme: 'light' }, async (page) => {
    await page.getByRole('row', { name: /^Monstera adansonii/ }).waitFor();
    await shoot(page, 'plants-phone');
  });
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await addPlant(page, { id: '9223372036854775807', name: 'Ficus elastica', tag: 'houseplant' });
    await page.getByRole('button', { name: 'Open it' }).waitFor();
    await shoot(page, 'add-taken');
  });
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await openImport(page);
    await chooseSource(page, makePlantsFile(5_000, { faultyEvery: 100 }));
    await shoot(page, 'import-columns');
    await page.getByRole('button', { name: 'Review lines' }).click();
    await page.getByRole('button', { name: /^Problems/ }).click();
    await page.getByRole('button', { name: 'Check line' }).first().waitFor();
    await shoot(page, 'import-review');
    await addButton(page).click();
    await readOutcome(page);
    await shoot(page, 'import-outcome');
  });
} finally {
  await browser.close();
  await store.stop();
}

async function onTab(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  const { page, close } = await openTab(browser, { ...options, reducedMotion: 'reduce' });
  await page.goto(store.address);
  await use(page);
  await close();
}

/** Adds the examples of the page, and a plant with the largest id. */
async function fill(): Promise<void> {
  const { page, close } = await openTab(browser);
  await page.goto(store.address);
  await page.getByRole('button', { name: 'Load 20 examples' }).click();
  await page.getByText('20 plants').waitFor();
  await addPlant(page, { id: '9223372036854775807', name: 'Monstera adansonii', tag: 'houseplant' });
  await page.getByText('stored').waitFor();
  await close();
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${folder}page-${name}.png` });
}
