import type { CliContext } from './cli-context.js';

const intervalMs = 250;

/**
 * Returns a function that shows a growing count with its rate, at most every 250 milliseconds, and the share done and the time left if
 * known.
 *
 * @param done returns the share done, from 0 to 1; `undefined` if unknown
 */
export function countProgress(
  context: Pick<CliContext, 'showProgress'>,
  noun: string,
  done: () => number | undefined = () => undefined,
): (count: number) => void {
  const startedAt = performance.now();
  let nextAt = startedAt + intervalMs;
  return (count) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + intervalMs;
    const seconds = (now - startedAt) / 1_000;
    const share = done();
    const parts = [`${formatCount(count)} ${noun}`, `${formatCount(count / seconds)}/s`];
    if (share !== undefined && share > 0)
      parts.push(`${Math.floor(100 * share)}%`, `${formatCount((seconds / share) * (1 - share))} s left`);
    context.showProgress(parts.join(', '));
  };
}

function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en');
}
