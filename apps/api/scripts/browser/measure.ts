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
 * Prints figures of the page, of an import, or of `/docs`: `pnpm --filter @plant-store/api run measure page`, `import` or
 * `documentation`. They depend on the machine, so no test asserts them, except for the bytes and the layout shift.
 */
const loads = 5;
const browser = await launchChromium();
const store = await startPlantStore();
try {
  const [, , what] = process.argv;
  if (what === 'page') {
    await printLoads('/', untilFirstView);
    await printPlants(1_000_000);
  } else if (what === 'documentation') await printLoads('/docs', untilUsable);
  else for (const lines of [5_000, 5_000, 5_000, 100_000]) await printImports(lines);
} finally {
  await browser.close();
  await store.stop();
}

type Session = Awaited<ReturnType<ReturnType<Browser['contexts']>[number]['newCDPSession']>>;

/** Milliseconds since the navigation, by what they are. */
type Figures = Readonly<Record<string, number>>;

/** Prints the medians of several loads, on this machine and on a simulated phone. */
async function printLoads(path: string, untilLoaded: (page: Page) => Promise<Figures>): Promise<void> {
  await print('this machine', () => Promise.resolve());
  await print('a phone: processor 4 times slower, 1.6 Mbit/s, 150 ms', async (session) => {
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const throughput = { downloadThroughput: 200_000, uploadThroughput: 93_750 };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 150, ...throughput });
  });

  async function print(name: string, slowDown: (session: Session) => Promise<unknown>): Promise<void> {
    const figures: Figures[] = [];
    let sizes = '';
    for (let load = 0; load < loads; load++) {
      const tab = await openTab(browser);
      const { page, requests } = tab;
      await page.addInitScript(observeOperations);
      await slowDown(await page.context().newCDPSession(page));
      await page.goto(store.baseUrl + path);
      const found = await untilLoaded(page);
      const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      );
      figures.push({ 'first contentful paint': paint, ...found });
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
    const medians = Object.keys(figures[0] ?? {}).map((figure) => {
      const sorted = figures.map((each) => each[figure] ?? 0).sort((a, b) => a - b);
      return `${figure} ${sorted[Math.floor(loads / 2)]?.toFixed(0)} ms`;
    });
    console.log(`${name}: ${medians.join(', ')}, medians of ${loads}; ${sizes}`);
  }
}

async function untilFirstView(page: Page): Promise<Figures> {
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  await page.waitForLoadState('networkidle');
  return {};
}

async function untilUsable(page: Page): Promise<Figures> {
  await page.waitForFunction(() => 'usable' in globalThis);
  return page.evaluate(() => (globalThis as unknown as { usable: Figures }).usable);
}

/** Opens the first operation of the viewer as soon as it is there, and notes when it can be tried out. */
function observeOperations(): void {
  let operations: number | undefined;
  const observer = new MutationObserver(() => {
    const summary = document.querySelector<HTMLElement>('.opblock-summary-control');
    if (operations === undefined && summary !== null) {
      operations = performance.now();
      setTimeout(() => summary.click());
    }
    if (document.querySelector('.opblock .try-out__btn') !== null) {
      observer.disconnect();
      Object.assign(globalThis, { usable: { operations, usable: performance.now() } });
    }
  });
  observer.observe(document, { subtree: true, childList: true });
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

/** Imports a file of so many lines into a store of its own, twice. */
async function printImports(lines: number): Promise<void> {
  const file = makePlantsFile(lines, { faultyEvery: 100 });
  const own = await startPlantStore();
  for (const name of ['first', 'again']) {
    const tab = await openTab(browser);
    const { page, requests } = tab;
    await page.goto(importAddress(own));
    await page.getByRole('button', { name: 'Choose file' }).waitFor();
    const readBlocked = await watchMainThread(page);
    const start = performance.now();
    await chooseFile(page, file);
    const reviewed = performance.now();
    // What is stored already has nothing to send.
    const isNew = name === 'first';
    if (isNew) await addButton(page).click();
    const { stored, replayed } = isNew
      ? await readOutcome(page)
      : { stored: 0, replayed: file.plants.length };
    const end = performance.now();
    const timings = requests.filter((each) => each.method() === 'POST').map((each) => each.timing());
    const begun = Math.min(...timings.map(({ startTime }) => startTime));
    const ended = Math.max(...timings.map(({ startTime, responseEnd }) => startTime + responseEnd));
    const rate = Math.round(((stored + replayed) * 1000) / (ended - begun));
    console.log(
      `${lines} lines, ${name}: ${stored} stored, ${replayed} there already; review after ${Math.round(reviewed - start)} ms, \
done after ${Math.round(end - start)} ms, of these ${Math.round(end - reviewed)} ms for the run; ${rate} plants a second from the first request to the last reply; \
${await readBlocked()}, layout shift ${tab.layoutShift.toFixed(4)}`,
    );
    await tab.close();
  }
  await own.stop();
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
