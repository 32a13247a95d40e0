import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../launch-chromium.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { startPlantStore } from './support/start-plant-store.js';
import { addButton, addPlant, chooseFile, progressOf, readSummary } from './support/use-page.js';

/** Writes the pictures of docs/page.md to `docs/images/`: `pnpm --filter @plant-store/api run screenshots`. */
const folder = fileURLToPath(new URL('../../../../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const desktop = { viewport: { width: 1100, height: 820 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };

const browser = await launchChromium();
const store = await startPlantStore();
try {
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await addSome(page);
    await shoot(page, 'one-light');
  });
  await onTab({ ...desktop, colorScheme: 'dark' }, async (page) => {
    await addSome(page);
    await shoot(page, 'one-dark');
  });
  await onTab({ ...phone, colorScheme: 'light' }, async (page) => {
    await addSome(page);
    await shoot(page, 'one-phone');
  });
  await onTab({ ...desktop, colorScheme: 'light' }, async (page) => {
    await chooseFile(page, makePlantsFile(2_000, { faultyEvery: 10 }));
    await shoot(page, 'many-preview');
    await addButton(page).click();
    while ((await progressOf(page)) < 0.3) await page.waitForTimeout(20);
    await shoot(page, 'many-progress');
    await readSummary(page);
    await shoot(page, 'many-summary');
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

async function addSome(page: Page): Promise<void> {
  const plants = [
    { id: '9223372036854775807', name: 'Monstera deliciosa', tag: 'houseplant', state: 'listed' },
    { id: '482913605174', name: 'Ficus lyrata', tag: 'houseplant', state: 'listed' },
    { id: '482913605174', name: 'Ficus elastica', tag: 'houseplant', state: 'rejected' },
  ];
  for (const plant of plants) {
    await addPlant(page, plant);
    await page.getByRole('listitem').filter({ hasText: plant.name }).first().waitFor();
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${folder}page-${name}.png` });
}
