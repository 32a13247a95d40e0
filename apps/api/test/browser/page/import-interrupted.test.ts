import type { Page } from 'playwright-core';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/until.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUpBrowser } from './support/set-up.js';
import { type PlantStore, startPlantStore } from './support/start-plant-store.js';
import { untilUnchanged } from './support/until-unchanged.js';
import { addButton, chooseFile, progressOf, readCounts, readSummary } from './support/use-page.js';

const file = makePlantsFile(4_000, { faultyEvery: 1_000 });
const count = file.plants.length;

const browser = setUpBrowser();

let store: PlantStore;
beforeEach(async () => {
  store = await startPlantStore();
  return () => store.stop();
});

/** Starts a run, and resolves while it is in the middle. */
async function startRun(): Promise<Page> {
  const { page, close } = await openTab(browser());
  onTestFinished(close);
  await page.goto(store.address);
  await chooseFile(page, file);
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
  return page;
}

it('stores nothing twice when the tab is closed in the middle and the file is added again', async () => {
  const page = await startRun();
  await page.close({ runBeforeUnload: false });
  const first = await untilUnchanged(() => store.readPlants().length);
  expect(first).toBeLessThan(count);
  const again = await openTab(browser());
  onTestFinished(again.close);
  await again.page.goto(store.address);
  await chooseFile(again.page, file);
  await addButton(again.page).click();
  expect(await readSummary(again.page)).toMatchObject({ stored: count - first, replayed: first, open: 0 });
  expect(store.readPlants()).toHaveLength(count);
});

it('asks before the tab is closed in the middle of a run', async () => {
  const page = await startRun();
  await page.getByRole('button', { name: 'Pause' }).click();
  const dialog = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  expect((await dialog).type()).toBe('beforeunload');
  await (await dialog).accept();
});

it('loses nothing when the service crashes in the middle and is started again', async () => {
  const page = await startRun();
  await store.kill();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const { stored, replayed, rejected } = await readCounts(page);
  expect(rejected).toBe(0);
  // What is shown as stored is stored; a reply may have been lost with the process.
  expect(store.readPlants().length).toBeGreaterThanOrEqual(stored + replayed);
  await store.start();
  const summary = await readSummary(page);
  expect(summary).toMatchObject({ open: 0, rejected: 4 });
  expect(summary.stored + summary.replayed).toBe(count);
  expect(store.readPlants()).toHaveLength(count);
});
