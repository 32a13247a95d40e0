import type { Browser } from 'playwright-core';
import { launchChromium } from './launch-chromium.js';
import { openTab } from './page/support/open-tab.js';
import { startPlantStore } from './page/support/start-plant-store.js';

/**
 * Prints the figures of `/docs`: `pnpm --filter @plant-store/api run measure:documentation`. They depend on the machine, so no
 * test asserts them.
 */
const loads = 5;
const browser = await launchChromium();
const store = await startPlantStore();
try {
  await print('this machine', () => Promise.resolve());
  await print('a phone: processor 4 times slower, 1.6 Mbit/s, 150 ms', async (session) => {
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 200_000,
      uploadThroughput: 93_750,
    });
  });
} finally {
  await browser.close();
  await store.stop();
}

type Session = Awaited<ReturnType<ReturnType<Browser['contexts']>[number]['newCDPSession']>>;

interface Figures {
  readonly paint: number;
  readonly operations: number;
  readonly usable: number;
}

async function print(name: string, slowDown: (session: Session) => Promise<unknown>): Promise<void> {
  const figures: Figures[] = [];
  let sizes = '';
  for (let load = 0; load < loads; load++) {
    const tab = await openTab(browser);
    await tab.page.addInitScript(observe);
    await slowDown(await tab.page.context().newCDPSession(tab.page));
    await tab.page.goto(`${store.baseUrl}/docs`);
    await tab.page.waitForFunction(() => 'usable' in globalThis);
    figures.push(
      await tab.page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
        ...(globalThis as unknown as { usable: Omit<Figures, 'paint'> }).usable,
      })),
    );
    const transferred = await Promise.all(
      tab.requests
        .filter((request) => !request.url().startsWith('data:'))
        .map(async (request) => (await request.sizes()).responseBodySize),
    );
    const bytes = transferred.reduce((total, size) => total + size, 0);
    sizes = `${transferred.length} requests, ${bytes} bytes`;
    await tab.close();
  }
  const median = (of: (figure: Figures) => number) => medianOf(figures.map(of)).toFixed(0);
  console.log(
    `${name}: first contentful paint ${median(({ paint }) => paint)} ms, operations ${median(({ operations }) => operations)} ms, usable ${median(({ usable }) => usable)} ms, medians of ${loads}; ${sizes}`,
  );
}

/** Opens the first operation as soon as it is there, and notes when it can be tried out. */
function observe(): void {
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

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
