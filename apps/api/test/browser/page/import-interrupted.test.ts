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

/** So large that what a test does in the middle of its run comes before its end. */
const file = makePlantsFile(60_000, { faultyEvery: 15_000 });
const count = file.plants.length;

const shared = setUpBrowser();

let store: PlantStore;
beforeEach(async () => {
  store = await startPlantStore();
  return () => store.stop();
});

/** Starts a run in a tab of its own. */
async function startRun(): Promise<Page> {
  const { page, close } = await openTab(shared.browser);
  onTestFinished(close);
  await page.goto(importAddress(store));
  await chooseFile(page, file);
  await addButton(page).click();
  return page;
}

/** The same, and resolves while it is in the middle. */
async function startRunAndWait(): Promise<Page> {
  const page = await startRun();
  await until(async () => (await progressOf(page)) > 0);
  return page;
}

/** How many plants are stored, once that is the same twice in a row, half a second apart. */
async function countStored(): Promise<number> {
  let last = -1;
  await until(() => {
    const before = last;
    last = store.readPlants().length;
    return last === before;
  }, 500);
  return last;
}

/** Expects that a run has ended with all plants stored, and returns how many were stored before. */
async function expectAll(page: Page): Promise<{ readonly stored: number; readonly replayed: number }> {
  const outcome = await readOutcome(page);
  expect(outcome).toMatchObject({ rejected: 0, skipped: 4 });
  expect(outcome.stored + outcome.replayed).toBe(count);
  expect(store.readPlants()).toHaveLength(count);
  return outcome;
}

it('stores nothing twice when it is cancelled in the middle and continued', runTimeout, async () => {
  const page = await startRunAndWait();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
  const first = await countStored();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(count);
  const { stored } = await readCounts(page);
  expect(stored).toBeLessThanOrEqual(first);
  // What was stored without its reply is replayed.
  expect(await expectAll(page)).toMatchObject({ replayed: first - stored });
});

it(
  'asks before the tab is closed in the middle, and stores nothing twice when the file is imported again',
  async () => {
    const page = await startRunAndWait();
    const dialog = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await dialog).type()).toBe('beforeunload');
    await (await dialog).accept();
    const first = await countStored();
    expect(first).toBeLessThan(count);
    const { replayed } = await expectAll(await startRun());
    // A request that was in flight when the tab was closed may be stored later than that.
    expect(replayed).toBeGreaterThanOrEqual(first);
    expect(replayed).toBeLessThan(count);
  },
  runTimeout.timeout,
);

it('loses nothing when the service crashes in the middle and is started again', runTimeout, async () => {
  const page = await startRunAndWait();
  await store.kill();
  await page.getByText('The service cannot be reached').first().waitFor();
  const { stored, replayed } = await readCounts(page);
  // What is shown as stored is stored; a reply may have been lost with the process.
  expect(store.readPlants().length).toBeGreaterThanOrEqual(stored + replayed);
  await store.start();
  await expectAll(page);
});

it('interrupts a run while the network is away, and then goes on', runTimeout, async () => {
  const page = await startRunAndWait();
  await page.context().setOffline(true);
  await page.getByRole('heading', { name: 'Interrupted' }).waitFor();
  await page.context().setOffline(false);
  await expectAll(page);
});
