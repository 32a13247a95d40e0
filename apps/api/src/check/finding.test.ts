import { expect, it, vi } from 'vitest';
import { type Finding, formatFinding, inspect, medianTimeMs } from './finding.js';

it('reports an exception as the error of the item', async () => {
  const findings: Finding[] = [];
  for await (const finding of inspect('disk', () => Promise.reject(new Error('no answer'))))
    findings.push(finding);
  expect(findings).toEqual([{ item: 'disk', status: 'error', found: 'no answer' }]);
});

it('formats a finding as one line of sentences', () => {
  const found = 'It is away: ECONNREFUSED\nStart it.';
  expect(formatFinding({ item: 'database', status: 'error', found, advice: 'Or move it' })).toBe(
    'error    database: It is away: ECONNREFUSED. Start it. Or move it.\n',
  );
});

it('measures the median of several times', async () => {
  vi.useFakeTimers();
  const delays = [1, 60, 2];
  expect(await medianTimeMs(3, () => vi.advanceTimersByTime(delays.pop() ?? 0))).toBe(2);
  expect(delays).toEqual([]);
});
