import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../test/browser/launch-chromium.js';
import {
  addButton,
  chooseFile,
  importAddress,
  readOutcome,
} from '../../test/browser/page/support/import-page.js';
import { openTab } from '../../test/browser/page/support/open-tab.js';
import { makePlantsFile } from '../../test/browser/page/support/plants-file.js';
import { startPlantStore } from '../../test/browser/page/support/start-plant-store.js';
import { tabTo } from '../../test/browser/page/support/use-page.js';

/**
 * Prints figures of the page: `pnpm --filter @plant-store/api run measure`. They depend on the machine, so no test asserts them,
 * except for the bytes and the layout shift.
 */
const loads = 5;
const browser = await launchChromium();
const store = await startPlantStore();
try {
  await printLoads();
  await printImport(100_000);
  await printPlants(1_000_000);
} finally {
  await browser.close();
  await store.stop();
}

type Session = Awaited<ReturnType<ReturnType<Browser['contexts']>[number]['newCDPSession']>>;

/** Prints the medians of several loads, on this machine and on a simulated phone. */
async function printLoads(): Promise<void> {
  await print('this machine', () => Promise.resolve());
  await print('a phone: processor 4 times slower, 1.6 Mbit/s, 150 ms', async (session) => {
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const throughput = { downloadThroughput: 200_000, uploadThroughput: 93_750 };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 150, ...throughput });
  });

  async function print(name: string, slowDown: (session: Session) => Promise<unknown>): Promise<void> {
    const paints: number[] = [];
    let sizes = '';
    for (let load = 0; load < loads; load++) {
      const tab = await openTab(browser);
      const { page, requests } = tab;
      await slowDown(await page.context().newCDPSession(page));
      await page.goto(store.baseUrl);
      await page.getByRole('button', { name: 'Use token' }).waitFor();
      await page.waitForLoadState('networkidle');
      const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      );
      paints.push(paint);
      let [bytes, scriptBytes, count] = [0, 0, 0];
      for (const request of requests.filter((each) => !each.url().startsWith('data:'))) {
        const { responseBodySize } = await request.sizes();
        count++;
        bytes += responseBodySize;
        if (request.resourceType() === 'script') scriptBytes += responseBodySize;
      }
      sizes = `${count} requests, ${bytes} bytes, of these script ${scriptBytes}; layout shift ${tab.layoutShift}`;
      await tab.close();
    }
    const median = paints.toSorted((a, b) => a - b)[Math.floor(loads / 2)];
    console.log(`${name}: first contentful paint ${median?.toFixed(0)} ms, the median of ${loads}; ${sizes}`);
  }
}

/** Prints how long an import of so many lines takes, from its review to the last reply. */
async function printImport(lines: number): Promise<void> {
  const own = await startPlantStore();
  const { page, close } = await openTab(browser);
  await page.goto(importAddress(own));
  await chooseFile(page, makePlantsFile(lines, { faultyEvery: 100 }));
  const start = performance.now();
  await addButton(page).click();
  const { stored } = await readOutcome(page);
  console.log(`${lines} lines: ${stored} plants stored in ${Math.round(performance.now() - start)} ms`);
  await close();
  await own.stop();
}

/** Finds, opens, deletes and restores a plant among many, by keyboard alone. */
async function printPlants(count: number): Promise<void> {
  for (let first = 1; first <= count; first += 1_000) {
    const plants = Array.from({ length: 1_000 }, (_, index) => ({
      id: first + index,
      name: `plant ${first + index}`,
      tag: `bed ${index % 40}`,
    }));
    const reply = await store.send('/plants/batch', { plants });
    if (reply.status !== 200) throw new Error(`A batch was answered ${reply.status}.`);
  }
  const tab = await openTab(browser);
  const { page } = tab;
  const step = async (name: string, action: () => Promise<unknown>) => {
    const start = performance.now();
    await action();
    console.log(`${count} plants, ${name}: ${Math.round(performance.now() - start)} ms`);
  };
  const row = (name: string) => page.getByRole('row', { name, exact: false });
  const newest = row(`plant ${count} bed`);
  await step('first rows after opening', async () => {
    await page.goto(store.address);
    await newest.waitFor();
  });
  const readBlocked = await watchMainThread(page);
  await tabTo(newest);
  await step('to the 50,000th row', async () => {
    const target = page.locator('tr[aria-rowindex="50001"]');
    while ((await target.count()) === 0) await page.keyboard.press('End');
  });
  await tabTo(page.getByRole('searchbox'), 'Shift+Tab');
  await page.keyboard.type(`LANT ${count * 0.75 + 1}`);
  await step('found by a part of its name', () => row(`plant ${count * 0.75 + 1} bed`).waitFor());
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(`${count / 2}`);
  await step('opened by its id', async () => {
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `plant ${count / 2}` }).waitFor();
  });
  const undo = page.getByRole('button', { name: 'Undo' });
  for (const isUndone of [true, false]) {
    await tabTo(page.getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await undo.waitFor();
    if (!isUndone) continue;
    await tabTo(undo);
    await page.keyboard.press('Enter');
    await undo.waitFor({ state: 'detached' });
    // Alt+Left is a key of the browser, which has no window here.
    await page.goBack();
  }
  await step('deleted by the service', async () => {
    while ((await store.send(`/plants/${count / 2}`)).status !== 404) await page.waitForTimeout(10);
  });
  const blocked = await readBlocked();
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  console.log(`${blocked}; heap ${(metric('JSHeapUsedSize') / 1e6).toFixed(1)} MB, ${metric('Nodes')} nodes`);
  await tab.close();
}

/**
 * Begins to watch how long the main thread of the document is blocked. The function that it returns describes the longest task of at
 * least 50 ms (Long Tasks API) so far, and the longest time by which a timer of 10 ms was late.
 */
async function watchMainThread(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const watched = { task: 0, timer: 0 };
    Object.assign(globalThis, { watched });
    new PerformanceObserver((list) => {
      watched.task = Math.max(watched.task, ...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask' });
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      watched.timer = Math.max(watched.timer, now - last - 10);
      last = now;
    }, 10);
  });
  return async () => {
    const { task, timer } = await page.evaluate(
      () => (globalThis as unknown as { watched: { task: number; timer: number } }).watched,
    );
    return `longest task ${task.toFixed(0)} ms, latest timer ${timer.toFixed(0)} ms`;
  };
}
