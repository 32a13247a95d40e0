import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../test/browser/launch-chromium.js';
import { addButton, chooseFile, readOutcome } from '../../test/browser/page/support/import-page.js';
import { openTab } from '../../test/browser/page/support/open-tab.js';
import { makePlantsFile } from '../../test/browser/page/support/plants-file.js';
import { startPlantStore } from '../../test/browser/page/support/start-plant-store.js';
import { addPlant, openImport } from '../../test/browser/page/support/use-page.js';

/** Writes the pictures of docs/use/page.md to `docs/use/images/`: `pnpm --filter @plant-store/api run screenshots`. */
const folder = fileURLToPath(new URL('../../../../docs/use/images/', import.meta.url));

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };

const browser = await launchChromium();
const store = await startPlantStore();
try {
  await shootAll();
} finally {
  await browser.close();
  await store.stop();
}

async function shootAll(): Promise<void> {
  await fill();
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await page.getByRole('row', { name: 'Monstera adansonii' }).waitFor();
    await shoot(page, 'plants-light');
    await page.getByText('Monstera adansonii').click();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await page.getByText('Added', { exact: true }).last().waitFor();
    await shoot(page, 'plant');
  });
  await onTab({ ...desktop, colorScheme: 'dark' }, async (page) => {
    await page.getByRole('row', { name: 'Monstera adansonii' }).waitFor();
    await shoot(page, 'plants-dark');
  });
  await onTab({ ...phone, colorScheme: 'light' }, async (page) => {
    await page.getByRole('row', { name: 'Monstera adansonii' }).waitFor();
    await shoot(page, 'plants-phone');
  });
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await addPlant(page, { id: '9223372036854775807', name: 'Ficus elastica', tag: 'houseplant' });
    await page.getByRole('button', { name: 'Open it' }).waitFor();
    await shoot(page, 'add-taken');
  });
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await openImport(page);
    await chooseFile(page, makePlantsFile(5_000, { faultyEvery: 100 }));
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Review lines' }).waitFor();
    await shoot(page, 'import-columns');
    await page.getByRole('button', { name: 'Review lines' }).click();
    await page.getByRole('button', { name: /^Problems/ }).click();
    await page.getByRole('form').first().waitFor();
    await shoot(page, 'import-review');
    await addButton(page).click();
    await readOutcome(page);
    await shoot(page, 'import-outcome');
  });
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
  await page.getByRole('button', { name: 'Look around first' }).click();
  await page.getByText('20 plants').waitFor();
  await addPlant(page, { id: '9223372036854775807', name: 'Monstera adansonii', tag: 'houseplant' });
  await page.getByRole('listitem').getByText('stored', { exact: true }).waitFor();
  await close();
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${folder}page-${name}.png` });
}
