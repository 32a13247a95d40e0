import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
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

it('reads a workbook with a cell in the last row and column', async () => {
  const folder = join(import.meta.dirname, '../../../../web/test/import-files');
  const stray = readFileSync(join(folder, 'xlsxwriter-stray-cell.xlsx'));
  await chooseFile(page, { name: 'stray.xlsx', text: stray });
  await page.getByText('Line 1,048,576').waitFor();
});
