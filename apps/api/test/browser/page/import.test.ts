import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { openTab, type Tab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { untilUnchanged } from './support/until-unchanged.js';
import { addButton, chooseFile, progressOf, readSummary, runTimeout } from './support/use-page.js';

const file = makePlantsFile(20_000, { faultyEvery: 100 });

const shared = setUp();
let tab: Tab;
let page: Page;
beforeAll(async () => {
  tab = await openTab(shared.browser, { acceptDownloads: true });
  page = tab.page;
  await page.goto(shared.store.address);
});

it('stores the 19,800 plants of a file with 20,000 lines, pausing when asked to', runTimeout, async () => {
  await chooseFile(page, file);
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  const resume = page.getByRole('button', { name: 'Resume' });
  await resume.waitFor();
  // Requests in flight may still end.
  const paused = await untilUnchanged(() => shared.store.readPlants().length);
  expect(paused).toBeGreaterThan(0);
  expect(paused).toBeLessThan(file.plants.length);
  const seen = await progressOf(page);
  await resume.click();
  await until(async () => (await progressOf(page)) > seen);
  expect(await readSummary(page)).toMatchObject({ stored: 19_800, replayed: 0, rejected: 200, open: 0 });
  const byId = (a: { id: string }, b: { id: string }) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
  expect(shared.store.readPlants()).toEqual(file.plants.toSorted(byId));
});

it('offers exactly the 200 faulty lines for download, each with its number and a reason', async () => {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download/ }).click();
  const [header, ...lines] = readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split(/\r?\n/);
  expect(header).toMatch(/line.*reason/i);
  expect(lines).toHaveLength(200);
  // Three cells of the file; the line, the error of what was sent, and the reason.
  const added = lines.map((line) => /^(?:(?:"(?:[^"]|"")*"|[^",]*),){3}(\d+),(\d*),(.+)$/.exec(line));
  expect(added.map((cells) => Number(cells?.[1]))).toEqual(file.faultyLines);
  expect(added.filter((cells) => (cells?.[3] ?? '').length < 10)).toEqual([]);
});

it(
  'shows that all 19,800 plants were there already when the same file is added again',
  runTimeout,
  async () => {
    await page.reload();
    await chooseFile(page, file);
    await addButton(page).click();
    expect(await readSummary(page)).toMatchObject({ stored: 0, replayed: 19_800, rejected: 200, open: 0 });
    expect(shared.store.readPlants()).toHaveLength(19_800);
  },
);

it('met no error and violated no policy while it did so', () => {
  expect({ messages: tab.messages, violations: tab.violations }).toEqual({ messages: [], violations: [] });
});
