import type { Browser } from 'playwright-core';
import { launchChromium } from '../launch-chromium.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { startPlantStore } from './support/start-plant-store.js';
import { addButton, chooseFile, readSummary } from './support/use-page.js';
import { watchMainThread } from './support/watch-main-thread.js';

/**
 * Prints the figures of docs/page.md: `pnpm --filter @plant-store/api run measure:page`. They depend on the machine, so no test asserts them, except for
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
  await printPreview(100_000);
  await printRun(20_000);
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
    await tab.page.goto(store.baseUrl, { waitUntil: 'networkidle' });
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

async function printPreview(lines: number): Promise<void> {
  const { tab, readFigures } = await openPreview(lines);
  console.log(await readFigures());
  await tab.close();
}

async function printRun(lines: number): Promise<void> {
  const { tab, file, readFigures } = await openPreview(lines);
  const [, added] = await timed(async () => {
    await addButton(tab.page).click();
    return readSummary(tab.page);
  });
  const rate = Math.round(file.plants.length / (added / 1000));
  console.log(`${await readFigures()}; added in ${added} ms, ${rate} plants a second`);
  await tab.close();
}

async function openPreview(lines: number) {
  const file = makePlantsFile(lines, { faultyEvery: 100 });
  const tab = await openTab(browser);
  await tab.page.goto(store.address);
  await tab.page.getByRole('tab', { name: 'Many plants' }).click();
  const readBlocked = await watchMainThread(tab.page);
  const [, previewed] = await timed(() => chooseFile(tab.page, file));
  const readFigures = async () => {
    const { longestTaskMs, latestTimerMs } = await readBlocked();
    const blocked = `longest task ${longestTaskMs.toFixed(0)} ms, latest timer ${latestTimerMs.toFixed(0)} ms`;
    return `${lines} lines (${file.text.length} bytes): preview after ${previewed} ms, ${blocked}, layout shift ${tab.layoutShift}`;
  };
  return { tab, file, readFigures };
}

async function timed<Result>(action: () => Promise<Result>): Promise<[Result, number]> {
  const start = performance.now();
  const result = await action();
  return [result, Math.round(performance.now() - start)];
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
