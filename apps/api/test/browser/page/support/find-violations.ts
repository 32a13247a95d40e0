import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Runs axe-core on the page as it is, all its rules including the best practices, and returns one line for each element
 * that violates one.
 */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Through the debugger, which the Content-Security-Policy does not apply to.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', {
    expression: `${axe}; undefined`,
    allowUnsafeEvalBlockedByCSP: true,
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: 'axe.run(document, { resultTypes: ["violations"] })',
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
