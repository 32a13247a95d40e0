import type { Browser } from 'playwright-core';
import { launchChromium } from '../launch-chromium.js';
import { openTab } from './support/open-tab.js';
import { startPlantStore } from './support/start-plant-store.js';
import { tabTo } from './support/use-page.js';
import { watchMainThread } from './support/watch-main-thread.js';

/**
 * Prints the figures of docs/use/page.md but those of an import: `pnpm --filter @plant-store/api run measure:page`. They depend on the machine, so no test asserts them, except for
 * the bytes and the layout shift.
 */
const loads = 5;
const browser = await launchChromium();
const store = await startPlantStore();
try {
  await printFirstView('this machine', () => Promise.resolve());
  await printFirstView('a phone: processor 4 times slower, 1.6 Mbit/s, 150 ms', async (session) => {
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 200_000,
      uploadThroughput: 93_750,
    });
  });
  await printPlants(1_000_000);
} finally {
  await browser.close();
  await store.stop();
}

type Session = Awaited<ReturnType<ReturnType<Browser['contexts']>[number]['newCDPSession']>>;

async function printFirstView(name: string, slowDown: (session: Session) => Promise<unknown>): Promise<void> {
  const paints: number[] = [];
  let sizes = '';
  for (let load = 0; load < loads; load++) {
    const tab = await openTab(browser);
    await slowDown(await tab.page.context().newCDPSession(tab.page));
    await tab.page.goto(store.baseUrl);
    await tab.page.getByRole('button', { name: 'Use token' }).waitFor();
    await tab.page.waitForLoadState('networkidle');
    paints.push(
      await tab.page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      ),
    );
    const transferred = await Promise.all(
      tab.requests.map(async (request) => ({
        type: request.resourceType(),
        bytes: (await request.sizes()).responseBodySize,
      })),
    );
    const sum = (isCounted: (type: string) => boolean) =>
      transferred.reduce((total, { type, bytes }) => total + (isCounted(type) ? bytes : 0), 0);
    sizes = `${transferred.length} requests, ${sum(() => true)} bytes, of these script ${sum((type) => type === 'script')}; layout shift ${tab.layoutShift}`;
    await tab.close();
  }
  console.log(
    `${name}: first contentful paint ${medianOf(paints).toFixed(0)} ms, median of ${loads}; ${sizes}`,
  );
}

/** Finds, opens, deletes and restores a plant among many, by keyboard alone. */
async function printPlants(count: number): Promise<void> {
  const headers = { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' };
  for (let first = 1; first <= count; first += 1_000) {
    const plants = Array.from({ length: 1_000 }, (_, index) => ({
      id: first + index,
      name: `plant ${first + index}`,
      tag: `bed ${index % 40}`,
    }));
    const body = JSON.stringify({ plants });
    const reply = await fetch(`${store.baseUrl}/plants/batch`, { method: 'POST', headers, body });
    if (reply.status !== 200) throw new Error(`A batch was answered ${reply.status}.`);
  }
  const tab = await openTab(browser);
  const { page } = tab;
  const step = async (name: string, action: () => Promise<unknown>) => {
    const [, ms] = await timed(action);
    console.log(`${count} plants, ${name}: ${ms} ms`);
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
  await step('deleted for good', async () => {
    await undo.waitFor({ state: 'detached' });
    for (;;) {
      const reply = await fetch(`${store.baseUrl}/plants/${count / 2}`, { headers });
      if (reply.status === 404) break;
      await page.waitForTimeout(10);
    }
  });
  const { longestTaskMs, latestTimerMs } = await readBlocked();
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  console.log(
    `longest task ${longestTaskMs.toFixed(0)} ms, latest timer ${latestTimerMs.toFixed(0)} ms; ` +
      `heap ${(metric('JSHeapUsedSize') / 1e6).toFixed(1)} MB, ${metric('Nodes')} nodes`,
  );
  await tab.close();
}

async function timed<Result>(action: () => Promise<Result>): Promise<[Result, number]> {
  const start = performance.now();
  const result = await action();
  return [result, Math.round(performance.now() - start)];
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
