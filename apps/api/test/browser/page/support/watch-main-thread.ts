import type { Page } from 'playwright-core';

/** How long the main thread was blocked at most, in milliseconds. */
export interface Blocked {
  /** The longest task of at least 50 ms (Long Tasks API); 0 if there was none. */
  readonly longestTaskMs: number;
  /** The longest time by which a timer of 10 ms was late. */
  readonly latestTimerMs: number;
}

interface Watched {
  watched: { longestTaskMs: number; latestTimerMs: number };
}

/** Begins to watch the main thread of the document; the function that it returns reads the figures so far. */
export async function watchMainThread(page: Page): Promise<() => Promise<Blocked>> {
  await page.evaluate(() => {
    const seen = { longestTaskMs: 0, latestTimerMs: 0 };
    (globalThis as unknown as Watched).watched = seen;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        seen.longestTaskMs = Math.max(seen.longestTaskMs, duration);
    }).observe({ type: 'longtask' });
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      seen.latestTimerMs = Math.max(seen.latestTimerMs, now - last - 10);
      last = now;
    }, 10);
  });
  return () => page.evaluate(() => (globalThis as unknown as Watched).watched);
}
