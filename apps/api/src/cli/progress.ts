import type { CliContext } from './cli-context.js';

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

/** A count with its noun, such as `1 plant` or `5 plants`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
