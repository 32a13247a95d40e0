import { formatCount } from '../format-count.js';
import type { Progress } from '../protocol.js';

/** A count with its noun, such as `1 plant` or `19,800 plants`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** How many plants of a run are done, of how many. */
export function formatProgress({ stored, replayed, rejected, open }: Progress) {
  const done = stored + replayed + rejected;
  return { done, total: done + open };
}

/** How long something still takes, in words that do not change all the time. */
export function formatTimeLeft(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return 'Time left unknown';
  if (seconds < 10) return 'A few seconds left';
  if (seconds < 60) return `About ${Math.ceil(seconds / 10) * 10} s left`;
  if (seconds < 3600) return `About ${Math.ceil(seconds / 60)} min left`;
  return `About ${Math.floor(seconds / 3600)} h ${Math.ceil((seconds % 3600) / 60)} min left`;
}
