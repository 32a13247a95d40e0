import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { writeWorkbook } from '../../../../web/test/write-workbook.js';
import { addButton, chooseFile, importAddress, readOutcome, runTimeout } from './support/import-page.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';

const file = makePlantsFile(5_000, { faultyEvery: 100 });
const byId = (a: { id: string }, b: { id: string }) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);

const shared = setUp();
let page: Page;
beforeEach(async () => {
  const tab = await openTab(shared.browser, { acceptDownloads: true });
  page = tab.page;
  await page.goto(importAddress(shared.store));
  return async () => {
    await tab.close();
    expect.soft([...tab.messages, ...tab.violations]).toEqual([]);
  };
});

const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();

it(
  'stores the 4,950 plants of a file with 5,000 lines exactly, and offers exactly the 50 others for download',
  runTimeout,
  async () => {
    await chooseFile(page, file);
    await addButton(page).click();
    expect(await readOutcome(page)).toEqual({ stored: 4_950, replayed: 0, rejected: 0, skipped: 50 });
    expect(shared.store.readPlants()).toEqual(file.plants.toSorted(byId));
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download these lines' }).click();
    const [header, ...lines] = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split(/\r?\n/);
    expect(header).toBe('id,name,tag,line,error,reason');
    // Three cells of the file; the line, the error of what was sent, and the reason.
    const added = lines.map((line) => /^(?:(?:"(?:[^"]|"")*"|[^",]*),){3}(\d+),(\d*),(.+)$/.exec(line));
    expect(added.map((cells) => Number(cells?.[1]))).toEqual(file.faultyLines);
    expect(added.filter((cells) => (cells?.[3] ?? '').length < 10)).toEqual([]);
  },
);

it('stores nothing twice when the same file is imported again, and then a line that was edited', async () => {
  await chooseFile(page, file);
  await page.getByRole('button', { name: 'Unchanged 4,950' }).waitFor();
  expect(await addButton(page).isVisible()).toBe(false);
  const line = page.getByRole('form', { name: `Line ${file.faultyLines[0]}`, exact: true });
  // An id that another plant has, which the review shows.
  await line.getByLabel('ID').fill('1');
  await line.getByLabel('Name').fill('Edited');
  await shared.store.send('/plants', { id: 1, name: 'Oak' });
  await line.getByRole('button', { name: 'Check line' }).click();
  await page.locator('del', { hasText: 'Oak' }).waitFor();
  await page.getByRole('button', { name: 'Update 1 plant' }).click();
  await heading('1 plant updated from plants.csv. 4,950 were unchanged.');
  expect(shared.store.readPlants()).toContainEqual(expect.objectContaining({ id: '1', name: 'Edited' }));
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Restore the 1 plant that it updated' }).click();
  await heading('Undone: 1 plant restored.');
  expect(shared.store.readPlants()).toContainEqual(expect.objectContaining({ id: '1', name: 'Oak' }));
});

it('updates from a spreadsheet, and overwrites nothing that somebody else changes in between', async () => {
  const { store } = shared;
  const nameOf = (id: number) => store.readPlants().find((plant) => plant.id === `${id}`)?.name;
  const put = (id: number, name: string) => store.send(`/plants/${id}`, { name }, { 'if-match': '*' });
  for (const [index, name] of ['Rose', 'Fern', 'Moss'].entries())
    await store.send('/plants', { id: 800001 + index, name });
  const lines = ['id,name', '800001,Roses', '800002,Ferns', '800003,Moss', '800004,Ivy'];
  await chooseFile(page, { name: 'stock.csv', text: lines.join('\n') });
  await page.getByRole('button', { name: 'Unchanged 1' }).waitFor();
  await put(800002, 'Bracken');
  await page.getByRole('button', { name: 'Update 2 and add 1 plant' }).click();
  await heading(
    '1 plant added and 1 updated from stock.csv. 1 was unchanged. 1 was changed by someone else after the review.',
  );
  expect([800001, 800002, 800004].map(nameOf)).toEqual(['Roses', 'Bracken', 'Ivy']);
  await page.locator('del', { hasText: 'Bracken' }).waitFor();
  await page.getByRole('button', { name: 'Update 1 plant' }).click();
  await heading(/^1 plant added and 2 updated from stock.csv/);
  await put(800001, 'Dog rose');
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Restore 2 plants and delete 1' }).click();
  await heading('Undone: 1 plant deleted and 1 restored. 1 has changed since then and was kept.');
  expect([800001, 800002, 800004].map(nameOf)).toEqual(['Dog rose', 'Bracken', '']);
});

it('imports a workbook of 4,002 rows, of which the spreadsheet has rounded one id', runTimeout, async () => {
  const before = new Set(shared.store.readPlants().map(({ id }) => id));
  const plants = Array.from({ length: 4_000 }, (_, index) => {
    const id = index + 1;
    return { id: String(id), name: `Monstera ${id}`, tag: id % 3 === 0 ? null : `bed ${id % 7}` };
  });
  const workbook = writeWorkbook({
    Empty: [],
    Pflanzen: [
      ['Nr.', 'Bezeichnung', 'Art'],
      ['9223372036854775807', 'Größte & letzte', 'bed 0'],
      [{ number: '9.2233720368547758E+18' }, 'Rounded', 'bed 1'],
      ...plants.map(({ id, name, tag }) => [{ number: id }, name, tag ?? undefined]),
    ],
  });
  await chooseFile(page, { name: 'plants.xlsx', text: workbook });
  await page.getByText('The ID may be a number that the spreadsheet rounded').waitFor();
  await addButton(page).click();
  // The id 1 is that of another plant by now, and so is the largest one: both are updated.
  expect(await readOutcome(page)).toEqual({ stored: 3_999, replayed: 0, rejected: 0, skipped: 1 });
  const stored = shared.store.readPlants().filter(({ id }) => !before.has(id));
  expect(stored).toEqual(plants.slice(1));
});

it('reads a workbook with a cell in the last row and column, and undoes its import by two clicks', async () => {
  const names = () => shared.store.readPlants().flatMap(({ id, name }) => (/^90000/.test(id) ? name : []));
  const folder = join(import.meta.dirname, '../../../../web/test/import-files');
  const stray = readFileSync(join(folder, 'xlsxwriter-stray-cell.xlsx'));
  await chooseFile(page, { name: 'stray.xlsx', text: stray });
  await page.getByText('Line 1,048,576').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  const lines = ['My list', '', 'id,name', '900001,Rose', '900002,Fern', '900003,Ivy'];
  await chooseFile(page, { name: 'titles.csv', text: lines.join('\n') });
  await addButton(page).click();
  await heading('3 plants added from titles.csv.');
  expect(names()).toEqual(['Rose', 'Fern', 'Ivy']);
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Delete the 3 plants that it added' }).click();
  await heading('Undone: 3 plants deleted.');
  expect(names()).toEqual(['', '', '']);
  await page.getByRole('button', { name: 'Back to columns' }).click();
  await page.getByRole('button', { name: 'Review lines' }).click();
  await page.getByText('Previously deleted plants will be added again.').waitFor();
  await addButton(page).click();
  await heading('3 plants added from titles.csv.');
  expect(names()).toEqual(['Rose', 'Fern', 'Ivy']);
});

it('fixes a line beside the others, leaves out a total and a name that is there already, and says what a file is', async () => {
  const { store } = shared;
  await store.send('/plants', { id: 700001, name: 'Astrantia major' });
  const lines = 'A-20;Ajuga reptans;5\n700002;ASTRANTIA  major;4\n\n700003;Briza media;3';
  await chooseFile(page, { name: 'stock.csv', text: `Nr;Name;Preis\n${lines}\n;Summe;12` });
  await page.getByText('Line 6 looks like a total and is left out.').waitFor();
  await page.getByText('Plant 700001 already has this name.').waitFor();
  await page.getByRole('button', { name: 'Leave out line 3' }).click();
  const line = page.getByRole('form', { name: 'Line 2' });
  await line.getByRole('button', { name: 'Choose a free ID' }).click();
  await page.getByRole('button', { name: 'Add 2 plants' }).click();
  await heading('2 plants added from stock.csv. 2 were left out.');
  await page.getByRole('button', { name: 'Import another file' }).click();
  const folder = join(import.meta.dirname, '../../../../web/test/import-files');
  await page.locator('input[type=file]').setInputFiles(join(folder, 'old-excel-named.csv'));
  await page
    .getByText('This is an old Excel workbook (.xls). In Excel, choose Save As, then .xlsx.')
    .waitFor();
});
