import { launchChromium } from '../launch-chromium.js';
import { addButton, chooseFile, importAddress, readOutcome } from './support/import-page.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { startPlantStore } from './support/start-plant-store.js';
import { watchMainThread } from './support/watch-main-thread.js';

/**
 * Prints how fast a file is imported, twice: `pnpm --filter @plant-store/api run measure:import`. The figures depend on the
 * machine, so no test asserts them.
 */
const browser = await launchChromium();
try {
  for (const lines of [5_000, 5_000, 5_000, 100_000]) await measure(lines);
} finally {
  await browser.close();
}

async function measure(lines: number): Promise<void> {
  const file = makePlantsFile(lines, { faultyEvery: 100 });
  const store = await startPlantStore();
  try {
    for (const name of ['first', 'again']) {
      const tab = await openTab(browser);
      await tab.page.goto(importAddress(store));
      await tab.page.getByRole('button', { name: 'Choose file' }).waitFor();
      const readBlocked = await watchMainThread(tab.page);
      const start = performance.now();
      await chooseFile(tab.page, file);
      const reviewed = performance.now();
      await addButton(tab.page).click();
      const { stored, replayed } = await readOutcome(tab.page);
      const end = performance.now();
      const timings = tab.requests
        .filter((request) => request.method() === 'POST')
        .map((request) => request.timing());
      const begun = Math.min(...timings.map(({ startTime }) => startTime));
      const ended = Math.max(...timings.map(({ startTime, responseEnd }) => startTime + responseEnd));
      const rate = Math.round(((stored + replayed) * 1000) / (ended - begun));
      const { longestTaskMs, latestTimerMs } = await readBlocked();
      console.log(
        `${lines} lines, ${name}: ${stored} stored, ${replayed} there already; review after ${Math.round(reviewed - start)} ms, \
done after ${Math.round(end - start)} ms, of these ${Math.round(end - reviewed)} ms for the run; ${rate} plants a second from the first request to the last reply; \
longest task ${longestTaskMs.toFixed(0)} ms, latest timer ${latestTimerMs.toFixed(0)} ms, layout shift ${tab.layoutShift.toFixed(4)}`,
      );
      await tab.close();
    }
  } finally {
    await store.stop();
  }
}
