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

it(
  'stores the 4,950 plants of a file with 5,000 lines exactly, and offers exactly the 50 others for download',
  runTimeout,
  async () => {
    await chooseFile(page, file);
    await addButton(page).click();
    expect(await readOutcome(page)).toEqual({ stored: 4_950, replayed: 0, rejected: 0, skipped: 50 });
    expect(shared.store.readPlants()).toEqual(file.plants.toSorted(byId));
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 50 lines' }).click();
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
  await addButton(page).click();
  expect(await readOutcome(page)).toEqual({ stored: 0, replayed: 4_950, rejected: 0, skipped: 50 });
  expect(shared.store.readPlants()).toHaveLength(4_950);
  await page.getByRole('button', { name: 'Edit 50 lines' }).click();
  const line = page.getByRole('form', { name: `Line ${file.faultyLines[0]}`, exact: true });
  // An id that another plant has, which the page cannot know.
  await line.getByLabel('Id').fill('1');
  await line.getByLabel('Name').fill('Edited');
  await shared.store.send('/plants', { id: 1, name: 'Oak' });
  await line.getByRole('button', { name: 'Check line' }).click();
  await page.getByRole('button', { name: 'Add 1 plant' }).click();
  expect(await readOutcome(page)).toEqual({ stored: 0, replayed: 4_950, rejected: 1, skipped: 49 });
  await page.getByRole('button', { name: 'Edit 50 lines' }).click();
  await line.getByText('The id 1 belongs to another plant').waitFor();
  await line.getByLabel('Id').fill('2');
  await line.getByLabel('Id').press('Enter');
  await page.getByRole('button', { name: 'Add 1 plant' }).click();
  expect(await readOutcome(page)).toEqual({ stored: 1, replayed: 4_950, rejected: 0, skipped: 49 });
  expect(shared.store.readPlants()).toContainEqual(expect.objectContaining({ id: '2', name: 'Edited' }));
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
  await page.getByText('id "9.2233720368547758E+18": the spreadsheet may have rounded this number').waitFor();
  await addButton(page).click();
  // The ids 1 and 2 are those of other plants by now, and so is the largest one.
  expect(await readOutcome(page)).toEqual({ stored: 3_998, replayed: 0, rejected: 3, skipped: 1 });
  const stored = shared.store.readPlants().filter(({ id }) => !before.has(id));
  expect(stored).toEqual(plants.slice(2));
});

it('reads a workbook with a cell in the last row and column, and undoes its import by two clicks', async () => {
  const names = () => shared.store.readPlants().flatMap(({ id, name }) => (/^90000/.test(id) ? name : []));
  const folder = join(import.meta.dirname, '../../../../web/test/import-files');
  const stray = readFileSync(join(folder, 'xlsxwriter-stray-cell.xlsx'));
  await chooseFile(page, { name: 'stray.xlsx', text: stray });
  await page.getByText('Line 1,048,576').waitFor();
  await page.getByRole('button', { name: 'Back to columns' }).click();
  await page.getByRole('button', { name: 'Back to source' }).click();
  const lines = ['My list', '', 'id,name', '900001,Rose', '900002,Fern', '900003,Ivy'];
  await chooseFile(page, { name: 'titles.csv', text: lines.join('\n') });
  await addButton(page).click();
  await page.getByRole('heading', { name: '3 plants added from titles.csv.' }).waitFor();
  expect(names()).toEqual(['Rose', 'Fern', 'Ivy']);
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Delete the 3 plants that it added' }).click();
  await page.getByRole('heading', { name: 'Undone: 3 plants deleted.' }).waitFor();
  expect(names()).toEqual(['', '', '']);
  await page.getByRole('button', { name: 'Back to columns' }).click();
  await page.getByRole('button', { name: 'Review lines' }).click();
  await addButton(page).click();
  await page.getByRole('heading', { name: '3 plants added from titles.csv.' }).waitFor();
  expect(names()).toEqual(['Rose', 'Fern', 'Ivy']);
});
