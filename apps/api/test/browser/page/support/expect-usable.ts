import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Windows, each with the color schemes that axe compares in it: colors do not depend on the width. */
const windows = [
  { name: 'desktop', width: 1280, height: 900, colors: ['light', 'dark', 'forced'] },
  { name: 'phone', width: 360, height: 740, colors: ['light', 'dark'] },
  { name: 'desktop at 200 % zoom', width: 640, height: 450, colors: ['light'] },
  // WCAG 2.2, 1.4.10: 1280 CSS pixels at 400 % zoom.
  { name: 'desktop at 400 % zoom', width: 320, height: 256, colors: ['light'] },
] as const;

/** Expects that axe finds nothing in each window, and that nothing is wider than it. `state` is for the report. */
export async function expectUsable(page: Page, state: string): Promise<void> {
  for (const { name, width, height, colors } of windows) {
    await page.setViewportSize({ width, height });
    for (const color of colors) {
      const forcedColors = color === 'forced' ? 'active' : 'none';
      await page.emulateMedia({ forcedColors, colorScheme: color === 'dark' ? 'dark' : 'light' });
      // What another color scheme changes is the colors.
      const rules = color === colors[0] ? undefined : ['color-contrast', 'link-in-text-block'];
      expect.soft(await findViolations(page, rules), `${state}, ${name}, ${color}`).toEqual([]);
    }
    await page.emulateMedia({ forcedColors: 'none' });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect.soft(beyond, `${state}, ${name}: pixels beyond the window`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs the rules of axe-core, by default all, the best practices too; returns one line for each element that violates one. */
async function findViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Through the debugger, which the Content-Security-Policy does not apply to.
  const session = await page.context().newCDPSession(page);
  const expression = `${axe}; undefined`;
  await session.send('Runtime.evaluate', { expression, allowUnsafeEvalBlockedByCSP: true });
  // Colors on their way to another scheme are of neither.
  const finish =
    'for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();';
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `${finish} axe.run(document, ${JSON.stringify(options)})`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(`axe-core failed: ${JSON.stringify(exceptionDetails)}`);
  const { violations } = result.value as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(' ')}: ${failureSummary}`),
  );
}
