import type { Terminal } from './terminal.js';

/** How often a count is shown, in milliseconds. */
const intervalMs = 250;

/** Gives a function that shows a growing count of something, now and then. */
export function countProgress(
  terminal: Pick<Terminal, 'showProgress'>,
  noun: string,
): (count: number) => void {
  let nextAt = performance.now() + intervalMs;
  return (count) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + intervalMs;
    terminal.showProgress(`${count.toLocaleString('en')} ${noun}`);
  };
}
