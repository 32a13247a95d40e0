import type { Page } from 'playwright-core';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/until.js';
import {
  addButton,
  chooseFile,
  importAddress,
  progressOf,
  readCounts,
  readOutcome,
  runTimeout,
} from './support/import-page.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUpBrowser } from './support/set-up.js';
import { type PlantStore, startPlantStore } from './support/start-plant-store.js';
import { untilUnchanged } from './support/until-unchanged.js';

/** So large that what a test does in the middle of its run comes before its end. */
const file = makePlantsFile(60_000, { faultyEvery: 15_000 });
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
  await page.goto(importAddress(store));
  await chooseFile(page, file);
  await addButton(page).click();
  await until(async () => (await progressOf(page)) > 0);
  return page;
}

it('stores nothing twice when it is cancelled in the middle and continued', runTimeout, async () => {
  const page = await startRun();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
  const first = await untilUnchanged(() => store.readPlants().length);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(count);
  const { stored } = await readCounts(page);
  expect(stored).toBeLessThanOrEqual(first);
  const outcome = await readOutcome(page);
  // What was stored without its reply is replayed.
  expect(outcome).toEqual({
    stored: count - (first - stored),
    replayed: first - stored,
    rejected: 0,
    skipped: 4,
  });
  expect(store.readPlants()).toHaveLength(count);
});

it(
  'stores nothing twice when the tab is closed in the middle and the file is imported again',
  runTimeout,
  async () => {
    const page = await startRun();
    await page.close({ runBeforeUnload: false });
    const first = await untilUnchanged(() => store.readPlants().length);
    expect(first).toBeLessThan(count);
    const again = await openTab(browser());
    onTestFinished(again.close);
    await again.page.goto(importAddress(store));
    await chooseFile(again.page, file);
    await addButton(again.page).click();
    const { stored, replayed } = await readOutcome(again.page);
    expect(stored + replayed).toBe(count);
    // A request that was in flight when the tab was closed may be stored later than that.
    expect(replayed).toBeGreaterThanOrEqual(first);
    expect(replayed).toBeLessThan(count);
    expect(store.readPlants()).toHaveLength(count);
  },
);

it('asks before the tab is closed in the middle of a run', runTimeout, async () => {
  const page = await startRun();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  expect((await dialog).type()).toBe('beforeunload');
  await (await dialog).accept();
});

it('loses nothing when the service crashes in the middle and is started again', runTimeout, async () => {
  const page = await startRun();
  await store.kill();
  await page.getByText('The service cannot be reached').first().waitFor();
  const { stored, replayed } = await readCounts(page);
  // What is shown as stored is stored; a reply may have been lost with the process.
  expect(store.readPlants().length).toBeGreaterThanOrEqual(stored + replayed);
  await store.start();
  const outcome = await readOutcome(page);
  expect(outcome).toMatchObject({ rejected: 0, skipped: 4 });
  expect(outcome.stored + outcome.replayed).toBe(count);
  expect(store.readPlants()).toHaveLength(count);
});
