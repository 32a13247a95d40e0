import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../test/browser/launch-chromium.js';
import { openState, states } from '../../test/browser/page/states.js';
import { addButton, chooseFile, readOutcome } from '../../test/browser/page/support/import-page.js';
import { openTab } from '../../test/browser/page/support/open-tab.js';
import { makePlantsFile } from '../../test/browser/page/support/plants-file.js';
import { startPlantStore } from '../../test/browser/page/support/start-plant-store.js';
import { addPlant, openImport } from '../../test/browser/page/support/use-page.js';

/**
 * Writes the pictures of docs/use/page.md to `docs/use/images/`: `pnpm --filter @plant-store/api run screenshots`. With a folder it writes
 * there what each state of the page looks like in each window, to be looked at after a change of its styles.
 */
const [, , ofStates] = process.argv;
const images = fileURLToPath(new URL('../../../../docs/use/images/', import.meta.url));
const folder = `${ofStates ?? images}/`;
mkdirSync(folder, { recursive: true });

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };

/** The windows in which states are looked at. */
const windows: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  forced: { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  'small-phone': {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    colorScheme: 'dark',
  },
  // 1280 × 800 at 200 % zoom.
  zoomed: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
};

const browser = await launchChromium();
const store = await startPlantStore();
try {
  if (ofStates === undefined) await shootForDocument();
  else await shootStates();
} finally {
  await browser.close();
  await store.stop();
}

/** The states in the order of their table: those without plants come first. */
async function shootStates(): Promise<void> {
  for (const state of states) {
    for (const [name, options] of Object.entries(windows)) {
      const { page, close } = await openTab(browser, { ...options, reducedMotion: 'reduce' });
      await openState(state, page, store);
      await page.screenshot({ path: `${folder}${state.name.replaceAll(/\W+/g, '-')}.${name}.png` });
      await close();
    }
  }
}

async function shootForDocument(): Promise<void> {
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
