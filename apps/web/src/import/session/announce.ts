import { formatCount } from '../format-count.js';
import type { Progress } from '../protocol.js';
import { formatProgress } from './format-progress.js';

const intervalMs = 10_000;
const shortestMs = 2000;
const intervalFraction = 0.1;

/** Gives what a screen reader announces of a run, or `undefined` where that would be too often. */
export type Announcer = (progress: Progress, nowMs: number) => string | undefined;

/** Announces changes of the state at once, and progress every ten percent or ten seconds, two seconds apart. */
export function createAnnouncer(): Announcer {
  let last: { state: string; fraction: number; atMs: number } | undefined;
  return (progress, nowMs) => {
    const { done, total } = formatProgress(progress);
    const fraction = total === 0 ? 1 : done / total;
    const state = `${progress.state} ${progress.stop?.message}`;
    if (last !== undefined && last.state === state) {
      const passedMs = nowMs - last.atMs;
      const passed = fraction - last.fraction;
      const isDue =
        (passed >= intervalFraction && passedMs >= shortestMs) || (passed > 0 && passedMs >= intervalMs);
      if (!isDue) return undefined;
    }
    last = { state, fraction, atMs: nowMs };
    return describe(progress, done, total);
  };
}

function describe({ state, stop }: Progress, done: number, total: number): string {
  const counts = `${formatCount(done)} of ${formatCount(total)} plants done.`;
  if (state === 'ended') return `Finished. ${counts}`;
  if (state === 'running') return counts;
  const title = { waiting: 'Waiting', paused: 'Paused', cancelling: 'Cancelling' }[state];
  return `${title}. ${stop?.message ?? ''} ${counts}`;
}
