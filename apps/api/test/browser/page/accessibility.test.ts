import type { Page } from 'playwright-core';
import { beforeEach, it } from 'vitest';
import { until } from '../../support/until.js';
import { expectUsable } from './support/expect-usable.js';
import { addButton, chooseSource, progressOf, readOutcome } from './support/import-page.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { addPlant, field, openImport } from './support/use-page.js';

const shared = setUp();

let page: Page;
beforeEach(async () => {
  const tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
  page = tab.page;
  return tab.close;
});

it('is usable when it asks for the token, and with a token that is wrong', async () => {
  await page.goto(shared.store.baseUrl);
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  await expectUsable(page, 'token panel');
  await page.getByLabel('Access token').fill('pst_wrong');
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await expectUsable(page, 'token panel with a wrong token');
});

it('is usable when it shows where the token is kept, and its QR code', async () => {
  await page.goto(shared.store.address);
  await page.getByRole('button', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Show QR code' }).click();
  await page.getByRole('img', { name: 'QR code that opens the page' }).waitFor();
  await expectUsable(page, 'access');
});

it('is usable for the plants: none, a list, no match, and one that is open or deleted', async () => {
  await page.goto(shared.store.address);
  await page.getByText('No plants yet.').waitFor();
  await expectUsable(page, 'no plants');
  const long = 'Monstera'.repeat(30);
  const plants = [
    { id: 1, name: '' },
    { id: 2, name: long, tag: long },
    { id: 3, name: 'بلوط', tag: 'bed' },
  ];
  await shared.store.send('/plants/batch', { plants });
  await page.reload();
  await page.getByRole('grid').waitFor();
  await expectUsable(page, 'plants');
  await page.goto(`${shared.store.baseUrl}/p/2`);
  await page.getByRole('dialog').waitFor();
  await expectUsable(page, 'plant');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await expectUsable(page, 'deleted plant');
  await page.getByRole('searchbox').fill('cactus');
  await page.getByText('No plant matches.').waitFor();
  await expectUsable(page, 'no match');
});

it('is usable for adding plants: empty, with problems, with a list, and with a taken id', async () => {
  await page.goto(shared.store.formAddress);
  await field(page, 'Name').waitFor();
  await expectUsable(page, 'empty form');
  await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
  await until(async () => (await field(page, 'Id').getAttribute('aria-invalid')) === 'true');
  await expectUsable(page, 'form with a problem');
  const long = 'Monstera'.repeat(12);
  await addPlant(page, { id: '-9223372036854775808', name: long, tag: long });
  await page.getByRole('listitem').getByText('stored').waitFor();
  await addPlant(page, { id: '-9223372036854775808', name: 'Ficus' });
  await page.getByRole('button', { name: 'Open it' }).waitFor();
  await expectUsable(page, 'list with a rejection');
});

it('is usable for an import: source, columns, review, cancelled and ended', async () => {
  await page.goto(shared.store.address);
  await openImport(page);
  await page.getByRole('button', { name: /Choose file/ }).waitFor();
  await expectUsable(page, 'source');
  await chooseSource(page, makePlantsFile(20_000, { faultyEvery: 500 }));
  await expectUsable(page, 'columns');
  await page.getByRole('button', { name: 'Review lines' }).click();
  await addButton(page).waitFor();
  await expectUsable(page, 'review');
  await page.getByRole('button', { name: /^Problems/ }).click();
  await page.getByRole('button', { name: 'Check line' }).first().waitFor();
  await expectUsable(page, 'problems');
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await expectUsable(page, 'cancelled');
  await readOutcome(page);
  await expectUsable(page, 'outcome');
});
