import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import {
  addButton,
  chooseFile,
  chooseSource,
  importAddress,
  readOutcome,
  runTimeout,
} from './support/import-page.js';
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
  'stores the 4,950 plants of a file with 5,000 lines exactly, and skips the 50 others',
  runTimeout,
  async () => {
    await chooseFile(page, file);
    await addButton(page).click();
    expect(await readOutcome(page)).toEqual({ stored: 4_950, replayed: 0, rejected: 0, skipped: 50 });
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(
      '4,950 plants added from plants.csv.',
    );
    expect(shared.store.readPlants()).toEqual(file.plants.toSorted(byId));
  },
);

it('offers exactly the 50 lines with a problem for download, each with its number and a reason', async () => {
  await chooseFile(page, file);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download 50 lines' }).click();
  const [header, ...lines] = readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split(/\r?\n/);
  expect(header).toBe('id,name,tag,line,error,reason');
  expect(lines).toHaveLength(50);
  // Three cells of the file; the line, the error of what was sent, and the reason.
  const added = lines.map((line) => /^(?:(?:"(?:[^"]|"")*"|[^",]*),){3}(\d+),(\d*),(.+)$/.exec(line));
  expect(added.map((cells) => Number(cells?.[1]))).toEqual(file.faultyLines);
  expect(added.filter((cells) => (cells?.[3] ?? '').length < 10)).toEqual([]);
});

it('stores nothing twice when the same file is imported again, and then a line that was corrected', async () => {
  await chooseFile(page, file);
  await addButton(page).click();
  expect(await readOutcome(page)).toEqual({ stored: 0, replayed: 4_950, rejected: 0, skipped: 50 });
  await page.getByRole('heading', { name: '4,950 were there already.' }).waitFor();
  expect(shared.store.readPlants()).toHaveLength(4_950);
  await page.getByRole('button', { name: 'Correct 50 lines' }).click();
  const line = page.getByRole('form', { name: `Line ${file.faultyLines[0]}`, exact: true });
  // An id that another plant has, which the page cannot know.
  await line.getByLabel('Id').fill('1');
  await line.getByLabel('Name').fill('Corrected');
  const { baseUrl, token } = shared.store;
  await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 1, name: 'Oak' }),
  });
  await line.getByRole('button', { name: 'Check line' }).click();
  await page.getByRole('button', { name: 'Add 1 plant' }).click();
  expect(await readOutcome(page)).toEqual({ stored: 0, replayed: 4_950, rejected: 1, skipped: 49 });
  await page.getByRole('button', { name: 'Correct 50 lines' }).click();
  await line.getByText('The id 1 belongs to another plant').waitFor();
  await line.getByLabel('Id').fill('2');
  await line.getByLabel('Id').press('Enter');
  await page.getByRole('button', { name: 'Add 1 plant' }).click();
  expect(await readOutcome(page)).toEqual({ stored: 1, replayed: 4_950, rejected: 0, skipped: 49 });
  expect(shared.store.readPlants()).toContainEqual(expect.objectContaining({ id: '2', name: 'Corrected' }));
  await page.getByRole('link', { name: 'View them' }).click();
  await page.getByRole('grid').getByText('Corrected').waitFor();
});

it('stores a file without ids once, however often it is imported', async () => {
  const before = shared.store.readPlants().length;
  const names = { name: 'names.csv', text: `name,tag\n${'Rose,shrub\nFern,\n'.repeat(100)}` };
  for (const expected of [
    { stored: 200, replayed: 0 },
    { stored: 0, replayed: 200 },
  ]) {
    await chooseSource(page, names);
    await page.getByText('Generate ids:').waitFor();
    await page.getByRole('button', { name: 'Review lines' }).click();
    await addButton(page).click();
    expect(await readOutcome(page)).toMatchObject(expected);
    await page.getByRole('button', { name: 'Import another file' }).click();
  }
  expect(shared.store.readPlants()).toHaveLength(before + 200);
});

it('imports a workbook of 4,002 rows, of which the spreadsheet has rounded one id', runTimeout, async () => {
  const before = new Set(shared.store.readPlants().map(({ id }) => id));
  const workbook = readFileSync(join(import.meta.dirname, 'support/plants.xlsx'));
  await chooseFile(page, { name: 'plants.xlsx', text: workbook });
  await page.getByText('id "9.2233720368547758E+18": the spreadsheet may have rounded this number').waitFor();
  await addButton(page).click();
  // The ids 1 and 2 are those of other plants by now, and so is the largest one.
  expect(await readOutcome(page)).toEqual({ stored: 3_998, replayed: 0, rejected: 3, skipped: 1 });
  const stored = shared.store.readPlants().filter(({ id }) => !before.has(id));
  const expected = Array.from({ length: 3_998 }, (_, index) => {
    const id = index + 3;
    return { id: String(id), name: `Monstera ${id}`, tag: id % 3 === 0 ? null : `bed ${id % 7}` };
  });
  expect(stored.toSorted(byId)).toEqual(expected);
});
