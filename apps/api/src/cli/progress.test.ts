import { expect, it, vi } from 'vitest';
import { countProgress } from './progress.js';

it.each<[what: string, stepMs: number, done: number[] | undefined, shown: string[]]>([
  ['a count each 250 ms', 100, undefined, ['300 lines, 1,000/s', '600 lines, 1,000/s', '900 lines, 1,000/s']],
  [
    'how much is done, and how long the rest takes',
    1_000,
    [0, 0.25, 0.995],
    ['0 lines, 0/s', '1,000 lines, 500/s, 25%, 6 s left', '3,980 lines, 1,327/s, 99%, 0 s left'],
  ],
])('shows %s', (_, stepMs, shares, expected) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown: string[] = [];
  let share: number | undefined;
  const showProgress = (text: string) => void shown.push(text);
  const showCount = countProgress({ showProgress }, 'lines', () => share);
  for (let step = 1; step <= (shares?.length ?? 10); step++) {
    vi.advanceTimersByTime(stepMs);
    share = shares?.[step - 1];
    showCount(share === undefined ? step * stepMs : 4_000 * share);
  }
  vi.useRealTimers();
  expect(shown).toEqual(expected);
});
