import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { addButton, chooseFile, importAddress, progressOf, readOutcome } from './support/import-page.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUpBrowser } from './support/set-up.js';
import { type PlantStore, startPlantStore } from './support/start-plant-store.js';

/** Six batches of 1,000 plants, of which the page sends two at a time. */
const file = makePlantsFile(6_004, { faultyEvery: 1_500 });
const count = file.plants.length;

const shared = setUpBrowser();

let store: PlantStore;
beforeEach(async () => {
  store = await startPlantStore();
  return () => store.stop();
});

async function startRun(page: Page): Promise<void> {
  await page.goto(importAddress(store));
  await chooseFile(page, file);
  await addButton(page).click();
}

/**
 * Starts a run in a tab of its own, and resolves in its middle: the page has the reply to the first batch, and two more are stored
 * whose replies are on their way until `breakConnections` loses them.
 */
async function startRunAndWait() {
  const { page } = await shared.openTab();
  const broken = Promise.withResolvers<void>();
  let sent = 0;
  let stored = 0;
  await page.route('**/plants/batch', async (route) => {
    if (++sent === 1 || sent > 3) return route.continue();
    await route.fetch();
    stored++;
    await broken.promise;
    // The page may be gone by then, or may have cancelled the request.
    await route.abort('connectionreset').catch(() => undefined);
  });
  await startRun(page);
  await until(async () => stored === 2 && (await progressOf(page)) > 0);
  expect(store.readPlants()).toHaveLength(3_000);
  return { page, breakConnections: broken.resolve };
}

/** Expects that a run has ended with all plants stored, of which so many were stored before. */
async function expectAll(page: Page, { replayed }: { readonly replayed: number }): Promise<void> {
  const stored = count - replayed;
  expect(await readOutcome(page)).toEqual({ stored, replayed, rejected: 0, skipped: 4 });
  expect(store.readPlants()).toHaveLength(count);
}

it('asks before the tab is closed in the middle, and stores nothing twice when the file is imported again', async () => {
  const { page, breakConnections } = await startRunAndWait();
  const dialog = page.waitForEvent('dialog');
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  expect((await dialog).type()).toBe('beforeunload');
  await (await dialog).accept();
  await closed;
  breakConnections();
  expect(store.readPlants()).toHaveLength(3_000);
  const { page: again } = await shared.openTab();
  await startRun(again);
  await expectAll(again, { replayed: 3_000 });
});

it('loses nothing when the service crashes in the middle and is started again', async () => {
  const { page, breakConnections } = await startRunAndWait();
  await store.kill();
  breakConnections();
  await page.getByText('The connection to the server failed').first().waitFor();
  // What is shown as done is stored; replies were lost with the process.
  expect(await progressOf(page)).toBeCloseTo(1_000 / count);
  expect(store.readPlants()).toHaveLength(3_000);
  await store.start();
  await expectAll(page, { replayed: 2_000 });
});
