import { afterEach, expect, it, vi } from 'vitest';
import { countProgress } from './progress.js';

afterEach(() => void vi.useRealTimers());

it('shows a count at most every 250 ms', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown: string[] = [];
  const showCount = countProgress({ showProgress: (text) => void shown.push(text) }, 'plants');
  for (let count = 1_000; count <= 10_000; count += 1_000) {
    vi.advanceTimersByTime(100);
    showCount(count);
  }
  expect(shown).toEqual(['3,000 plants', '6,000 plants', '9,000 plants']);
});
