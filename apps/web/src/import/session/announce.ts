import { formatCount } from '../format-count.js';
import type { Progress } from '../protocol.js';

const intervalMs = 10_000;

/** Gives what a screen reader announces of a run, or `undefined` where that would be too often. */
export type Announcer = (progress: Progress, nowMs: number) => string | undefined;

/** Announces changes of the state at once, and progress every ten seconds. */
export function createAnnouncer(): Announcer {
  let last: { state: string; done: number; atMs: number } | undefined;
  return (progress, nowMs) => {
    const { done } = progress;
    const state = `${progress.state} ${progress.stop?.message} ${progress.retrying}`;
    const isDue = last === undefined || (done > last.done && nowMs - last.atMs >= intervalMs);
    if (last?.state === state && !isDue) return undefined;
    last = { state, done, atMs: nowMs };
    return describe(progress);
  };
}

function describe({ state, stop, retrying, done, total }: Progress): string {
  const counts = `${formatCount(done)} of ${formatCount(total)} plants done.`;
  if (state === 'ended') return `Finished. ${counts}`;
  if (state === 'stopped') return `${stop?.message ?? 'Cancelled.'} ${counts}`;
  return retrying === undefined ? counts : `${retrying} ${counts}`;
}
