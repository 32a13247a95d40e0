import type { CliContext } from '../support/cli-context.js';

/** How often a count is shown, in milliseconds. */
const intervalMs = 250;

/** Returns a function that shows a growing count, at most every 250 milliseconds. */
export function countProgress(
  context: Pick<CliContext, 'showProgress'>,
  noun: string,
): (count: number) => void {
  let nextAt = performance.now() + intervalMs;
  return (count) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + intervalMs;
    context.showProgress(`${count.toLocaleString('en')} ${noun}`);
  };
}
