import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { findViolations } from './support/find-violations.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import {
  addButton,
  addPlant,
  chooseFile,
  field,
  openImport,
  progressOf,
  readSummary,
} from './support/use-page.js';

const shared = setUp();

let page: Page;
beforeEach(async () => {
  const tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
  page = tab.page;
  return tab.close;
});

const windows = [
  { name: 'desktop', width: 1280, height: 900 },
  { name: 'phone', width: 360, height: 740 },
  { name: 'desktop at 200 % zoom', width: 640, height: 450 },
  // WCAG 2.2, 1.4.10: 1280 CSS pixels at 400 % zoom.
  { name: 'desktop at 400 % zoom', width: 320, height: 256 },
];
const colorSchemes = ['light', 'dark'] as const;

/** Expects in each window and color scheme that axe finds nothing, and that nothing is wider than the window. */
async function expectUsable(state: string): Promise<void> {
  for (const { name, width, height } of windows) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme });
      expect.soft(await findViolations(page), `${state}, ${name}, ${colorScheme}`).toEqual([]);
    }
    await page.emulateMedia({ forcedColors: 'active' });
    expect.soft(await findViolations(page), `${state}, ${name}, forced colors`).toEqual([]);
    await page.emulateMedia({ forcedColors: 'none' });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect.soft(beyond, `${state}, ${name}: pixels beyond the window`).toBeLessThanOrEqual(0);
  }
}

it('is usable when it asks for the token, and with a token that is wrong', async () => {
  await page.goto(shared.store.baseUrl);
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  await expectUsable('token panel');
  await page.getByLabel('Access token').fill('pst_wrong');
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await expectUsable('token panel with a wrong token');
});

it('is usable for the plants: none, a list, no match, and one that is open or deleted', async () => {
  const { baseUrl, address, token } = shared.store;
  await page.goto(address);
  await page.getByText('No plants yet.').waitFor();
  await expectUsable('no plants');
  const long = 'Monstera'.repeat(30);
  const plants = [
    { id: 1, name: '' },
    { id: 2, name: long, tag: long },
    { id: 3, name: 'بلوط', tag: 'bed' },
  ];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${baseUrl}/plants/batch`, { method: 'POST', headers, body: JSON.stringify({ plants }) });
  await page.reload();
  await page.getByRole('grid').waitFor();
  await expectUsable('plants');
  await page.goto(`${baseUrl}/p/2`);
  await page.getByRole('dialog').waitFor();
  await expectUsable('plant');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await expectUsable('deleted plant');
  await page.getByRole('searchbox').fill('cactus');
  await page.getByText('No plant matches.').waitFor();
  await expectUsable('no match');
});

it('is usable for adding plants: empty, with problems, with a list, and with a taken id', async () => {
  await page.goto(shared.store.formAddress);
  await field(page, 'Name').waitFor();
  await expectUsable('empty form');
  await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
  await until(async () => (await field(page, 'Id').getAttribute('aria-invalid')) === 'true');
  await expectUsable('form with a problem');
  const long = 'Monstera'.repeat(12);
  await addPlant(page, { id: '-9223372036854775808', name: long, tag: long });
  await page.getByRole('listitem').getByText('stored').waitFor();
  await addPlant(page, { id: '-9223372036854775808', name: 'Ficus' });
  await page.getByRole('button', { name: 'Open it' }).waitFor();
  await expectUsable('list with a rejection');
});

it('is usable for many plants: before, preview, pause and summary', async () => {
  await page.goto(shared.store.address);
  await openImport(page);
  await page.getByRole('button', { name: /Choose file/ }).waitFor();
  await expectUsable('many plants');
  await chooseFile(page, makePlantsFile(2_000, { faultyEvery: 50 }));
  await expectUsable('preview');
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await expectUsable('paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await readSummary(page);
  await expectUsable('summary');
});
